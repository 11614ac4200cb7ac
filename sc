a=(1?); x=a; r='a[x]'; l=0; trap 'echo main $l' EXIT; f() { local l=1; echo ${a[x]} || :; echo inner; }; f >g; echo next
echo "after $?"; echo "[$(cat g)]"
