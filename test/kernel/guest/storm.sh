# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Updates static calls during calls by another CPU and by a module that comes and goes.
(while [ ! -e /tmp/done ]; do
	insmod $MODULES/sc_user.ko && rmmod sc_user
done) &
insmod $MODULES/sc_storm.ko updates=$UPDATES
touch /tmp/done
wait
rmmod sc_storm
dmesg | sed -n 's/^\[[^]]*\] sc: storm/storm/p'
echo users: $(dmesg | grep -c 'sc: user 0 wrong')
echo wrong: $(dmesg | grep -c 'sc: user [^0]')
