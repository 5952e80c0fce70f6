#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A command whose help has text that looks like requests of roff(7).
case $* in
*--version) echo 'odd 1.0' ;;
*) cat <<'END' ;;
OVERVIEW: Has odd text
USAGE: odd [options]

SUBCOMMANDS:

  one - The first verb

OPTIONS:

Generic Options:

  --help    - Show 'this' help

Options:

  -x <GLOB> - \fBnot bold\fR

  .SH is no heading here.
  'Nor is this a request.

EXAMPLES:
  odd --a~b^c `d`
.nf
END
esac
