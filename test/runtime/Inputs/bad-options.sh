# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs PROG with each of some values that TRACER must not take.
set -e
for value in tracer=functions thresh=1x thresh= thresh=99999999999999999999 \
             thresh=99999999999s buffer=1T overwrite=yes color=red word; do
	LD_PRELOAD=$TRACER \
		PATCHBAY="tracer=function,filter=*,output=$NONE,$value" $PROG
done
