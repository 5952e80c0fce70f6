# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# Runs PROG with settings that TRACER must refuse. The file NONE stays empty.
set -e
say() {
	LD_PRELOAD=$TRACER PATCHBAY=$1 $PROG
}
for value in tracer=functions tracer= threshold=1x threshold= threshold=5 \
             threshold=99999999999999999999ns threshold=99999999999s buffer=1T \
             buffer=3k buffer=1025g \
             depth=0 depth=2 clock=1 clock=1/2x args=x,tracer=function_profile \
             overwrite=yes live=0 histogram=1 sleep-time=1 sleep-time=0 \
             sleep-time=0,tracer=function_graph,depth=2 \
             sleep-time=0,tracer=function_graph,args=x tracer=function_profile,thread=x \
             color=red word; do
	say "tracer=function,filter=*,output=$NONE,$value"
done
say "filter=*,output=$NONE"
say "tracer=function,filter=*"
say "tracer=function,output=$NONE"
say "tracer=function,filter=*,output=$NONE/missing"
say "tracer=function,filter=*,output=$PROG"
say "tracer=function,filter=*,output=$NONE$(printf '/\n\033[2J')"
