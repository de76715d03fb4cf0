/* rlx keygen and rlx sign; and, for the commands that load files, loading one that must be signed.
 * Nothing of a file is run here. */
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>

int cli_load(const char *file, const char *const *keys, uint32_t n_keys,
             const rlx_load_options *options, rlx_executable **out)
{
    rlx_error err = {0};
    rlx_load_options load = *options;
    rlx_public_key *read = calloc((size_t)n_keys + 1, sizeof *read);
    rlx_status status = RLX_OK;
    if (!read)
        status = rlx_fail(&err, RLX_E_NOMEM, "out of memory");
    for (uint32_t i = 0; status == RLX_OK && i < n_keys; i++)
        status = rlx_public_key_read(keys[i], &read[i], &err);
    if (n_keys > 0) {
        load.require_signature = true;
        load.keys = read;
        load.n_keys = n_keys;
    }
    if (status == RLX_OK)
        status = rlx_executable_load_file(file, &load, out, &err);
    free(read);
    return status == RLX_OK ? CLI_OK : cli_fail(&err);
}

/* --- rlx keygen ------------------------------------------------------------------------------ */

static bool set_name(void *user, const cli_option *option, const char *value)
{
    if (option)
        return cli_set_file(user, value);
    cli_complain("rlx keygen reads no file: %s", value);
    return false;
}

static int generate(const char *name)
{
    char secret[4096], public[4096], id[RLX_KEY_ID_SIZE];
    rlx_error err = {0};
    rlx_public_key key;
    if (!name) {
        cli_complain("no name given; add -o NAME");
        return CLI_USAGE;
    }
    if (snprintf(secret, sizeof secret, "%s.key", name) >= (int)sizeof secret ||
        snprintf(public, sizeof public, "%s.pub", name) >= (int)sizeof public) {
        cli_complain("the name is too long");
        return CLI_FAILED;
    }
    if (rlx_key_generate(secret, public, &key, &err) != RLX_OK)
        return cli_fail(&err);
    printf("key %s\n  %s: secret, for rlx sign; keep it to yourself\n"
           "  %s: public, for rlx verify --key and rlx run --require-key\n",
           rlx_key_id(&key, id), secret, public);
    return CLI_OK;
}

int cli_command_keygen(int argc, char **argv)
{
    static const cli_option options[] = {
        {"-o", "NAME", "write NAME.key and NAME.pub, which must not exist"}};
    const cli_command command = {
        "rlx keygen -o NAME",
        "Makes a key to sign files with: NAME.key, which its owner alone can read, and NAME.pub "
        "for "
        "those\nwho check signatures. Both are PEM, as 'openssl genpkey -algorithm ed25519' and "
        "'openssl pkey -pubout'\nwrite them.",
        options, 1, false};
    const char *name = NULL;
    bool help;
    int status = cli_parse(&command, argc, argv, set_name, &name, &help);
    return status == CLI_OK && !help ? generate(name) : status;
}

/* --- rlx sign -------------------------------------------------------------------------------- */

typedef struct arguments {
    const char *file, *key, *output;
} arguments;

static bool set(void *user, const cli_option *option, const char *value)
{
    arguments *a = user;
    if (!option)
        return cli_set_file(&a->file, value);
    return cli_set_file(strcmp(option->name, "-o") == 0 ? &a->output : &a->key, value);
}

static int sign(const arguments *a)
{
    char id[RLX_KEY_ID_SIZE];
    rlx_error err = {0};
    rlx_secret_key key;
    rlx_public_key public;
    if (!a->file || !a->key) {
        cli_complain(a->file ? "no key given; add --key SECRET"
                             : "no file given; --help shows the usage");
        return CLI_USAGE;
    }
    const char *output = a->output ? a->output : a->file;
    if (rlx_check_output(output, &a->key, 1, &err) != RLX_OK) {
        cli_complain("%s", err.message);
        return CLI_USAGE;
    }
    if (rlx_secret_key_read(a->key, &key, &err) != RLX_OK)
        return cli_fail(&err);
    const rlx_status status = rlx_sign_file(NULL, a->file, &key, output, &public, &err);
    rlx_secret_key_wipe(&key);
    if (status != RLX_OK)
        return cli_fail(&err);
    printf("%s: signed with key %s\n", output, rlx_key_id(&public, id));
    return CLI_OK;
}

int cli_command_sign(int argc, char **argv)
{
    static const cli_option options[] = {
        {"--key", "SECRET", "the secret key: NAME.key of rlx keygen"},
        {"-o", "OUT.rlx", "write the signed file here (default: replace FILE.rlx)"}};
    const cli_command command = {
        "rlx sign FILE.rlx --key SECRET [-o OUT.rlx]",
        "Checks a file as rlx verify does, and signs all its bytes "
        "(Ed25519).\nReplaces an existing signature. Runs no code from the file.",
        options, 2, false};
    arguments a = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &a, &help);
    return status == CLI_OK && !help ? sign(&a) : status;
}
