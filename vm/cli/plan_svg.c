/* The picture of a memory plan: time across, offset up, a box per buffer, its facts as the title
 * that viewers show under the pointer. The dashed line is the lower bound. */
#include "vm/cli/plan.h"

#include "vm/cli/file.h"

#define WIDTH 1200
#define HEIGHT 480
#define LEFT 90
#define TOP 40
#define GAP 70

/* Text between tags. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, file);
    }
}

static void draw_buffer(FILE *file, const cli_plan *p, uint32_t i, double y0, double per_byte,
                        double per_word, uint32_t begin)
{
    const rlx_plan_buffer *b = &p->buffers[i];
    char text[512];
    double x = LEFT + per_word * (b->first - begin), width = per_word * (b->last - b->first);
    double height = per_byte * (double)p->sizes[i];
    double y = y0 + HEIGHT - per_byte * (double)p->offsets[i] - height;
    fprintf(file,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"hsl(%u,60%%,70%%)\" "
            "stroke=\"#333\" stroke-width=\"0.5\"><title>u%u: %llu bytes at %llu, words %u to %u",
            x, y, width, height, i * 137u % 360u, i, (unsigned long long)p->sizes[i],
            (unsigned long long)p->offsets[i], b->first, b->last);
    uint32_t at, type;
    for (uint32_t t = 0; rlx_function_plan_tensor(p->exe, p->function, t, &at, &type); t++) {
        if (at != i)
            continue;
        fputs("\n", file);
        put_text(file, rlx_type_text(p->exe, p->function, type, text, sizeof text));
    }
    cli_place_text(p->exe, p->function, b->first, text, sizeof text);
    fputs("\n", file);
    put_text(file, text);
    fputs("</title></rect>\n", file);
}

static void draw_region(FILE *file, const cli_plan *p, uint32_t region, double y0)
{
    uint32_t begin = UINT32_MAX, end = 0;
    const rlx_plan_sums *s = &p->sums[region];
    char peak[32], bound[32];
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        if (p->buffers[i].region != region)
            continue;
        begin = p->buffers[i].first < begin ? p->buffers[i].first : begin;
        end = p->buffers[i].last > end ? p->buffers[i].last : end;
    }
    if (end <= begin)
        return;
    double per_byte = s->peak ? (double)HEIGHT / (double)s->peak : 0;
    double per_word = (double)(WIDTH - LEFT) / (end - begin);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\">region %u: peak %s, lower bound %s</text>\n", LEFT,
            y0 - 8, region, cli_bytes_text(s->peak, peak, sizeof peak),
            cli_bytes_text(s->bound, bound, sizeof bound));
    fprintf(
        file,
        "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n",
        LEFT, y0, WIDTH - LEFT, HEIGHT);
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].region == region)
            draw_buffer(file, p, i, y0, per_byte, per_word, begin);
    double y = y0 + HEIGHT - per_byte * (double)s->bound;
    fprintf(file,
            "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\" stroke=\"#c00\" "
            "stroke-dasharray=\"6 4\"/>\n",
            LEFT, y, WIDTH, y);
    fprintf(file, "<text x=\"4\" y=\"%.1f\">%s</text><text x=\"4\" y=\"%.1f\">0</text>\n", y0 + 12,
            peak, y0 + HEIGHT);
    fprintf(file,
            "<text x=\"%d\" y=\"%.1f\">word %u</text>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">word %u</text>\n",
            LEFT, y0 + HEIGHT + 16, begin, WIDTH, y0 + HEIGHT + 16, end);
}

int cli_plan_draw(const cli_plan *p, const char *path)
{
    uint32_t n = 0;
    for (uint32_t z = 0; z < p->n_regions; z++)
        n += p->known[z];
    if (n == 0) {
        cli_complain("--svg: no region has all its symbols bound; bind them with --dim");
        return CLI_USAGE;
    }
    cli_file file;
    rlx_error err = {0};
    if (cli_create_file(path, &file, &err) != RLX_OK)
        return cli_fail(&err);
    double height = TOP + (double)n * (HEIGHT + GAP), y = TOP;
    fprintf(file.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n",
            WIDTH + 10, height);
    for (uint32_t z = 0; z < p->n_regions; z++) {
        if (!p->known[z])
            continue;
        draw_region(file.stream, p, z, y);
        y += HEIGHT + GAP;
    }
    fputs("</svg>\n", file.stream);
    return cli_close_file(&file, true, &err) == RLX_OK ? CLI_OK : cli_fail(&err);
}
