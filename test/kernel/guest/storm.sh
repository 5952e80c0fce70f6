# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Updates static calls while another CPU calls, and while a calling module is loaded and unloaded.
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
