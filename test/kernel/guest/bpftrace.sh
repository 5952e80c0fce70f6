# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's bpftrace counts a program's calls of a function by their result, and reads an
# argument of another function.
cp $MULTI $DEBIAN/tmp/multi
chroot $DEBIAN /usr/bin/bpftrace --version
export FUNCTION=$($MULTI name)
sh -c 'echo parent: $$
exec chroot $DEBIAN /usr/bin/bpftrace -c "/tmp/multi call" -e "
kfunc:$FUNCTION /pid == cpid/ { @entries = count(); }
kretfunc:$FUNCTION /pid == cpid/ { @parent[retval] = count(); }
kfunc:vfs_write /pid == cpid/ { @written = sum(args->count); }"'
echo left: $(wc -l </sys/kernel/tracing/enabled_functions)
