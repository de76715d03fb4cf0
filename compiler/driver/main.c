/* The program rlxc; see driver.c. */
#include "compiler/driver/driver.h"

int main(int argc, char **argv)
{
    return rlxc_main(argc, argv, stdout, stderr);
}
