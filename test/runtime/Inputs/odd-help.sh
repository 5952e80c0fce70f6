#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A command whose help contains text that looks like roff(7) requests.
case $* in
*--version) echo 'odd 1.0' ;;
*) cat <<'END' ;;
USAGE: odd [options]

Has odd text

SUBCOMMANDS:
  one - The first verb

OPTIONS:
  General:
  --help     Show 'this' help
  -x GLOB    \fBnot bold\fR

DESCRIPTION:
  .SH is no heading here.
  'Nor is this a request.

EXAMPLES:
  odd --a~b^c `d`
.nf
END
esac
