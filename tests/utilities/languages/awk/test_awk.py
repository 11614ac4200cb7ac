"""The output of awk: a table recorded from gawk 5.2, which --oracle compares again."""

from __future__ import annotations

import pytest

FILES = {"f1": "x 1\ny 2\nz 3\n", "f2": "p,q,r\ns,t,u\n"}
LINES = "a b c\nd e f\n1 2 3\n10 20 30\n"

CASES: list[tuple[list[str], str, int, str]] = [
    (["{print $1}"], LINES, 0, "a\nd\n1\n10\n"),
    (["{print $2,$1}"], LINES, 0, "b a\ne d\n2 1\n20 10\n"),
    (["{s+=$1} END{print s}"], LINES, 0, "11\n"),
    (["NR==2"], LINES, 0, "d e f\n"),
    (['/d/{print NR": "$0}'], LINES, 0, "2: d e f\n"),
    (["END{print NR,$0,NF}"], LINES, 0, "4 10 20 30 3\n"),
    (["NR==2,NR==3"], LINES, 0, "d e f\n1 2 3\n"),
    (['/a/,/d/{print "r",$0}'], LINES, 0, "r a b c\nr d e f\n"),
    (['{$2="";print}'], LINES, 0, "a  c\nd  f\n1  3\n10  30\n"),
    (['{$5="x";print;print NF}'], LINES, 0, "a b c  x\n5\nd e f  x\n5\n1 2 3  x\n5\n10 20 30  x\n5\n"),
    (["{NF=2;print}"], LINES, 0, "a b\nd e\n1 2\n10 20\n"),
    (['BEGIN{OFS="-"}{$1=$1}1'], LINES, 0, "a-b-c\nd-e-f\n1-2-3\n10-20-30\n"),
    (["{print $NF,$(NF-1)}"], LINES, 0, "c b\nf e\n3 2\n30 20\n"),
    (['BEGIN{print 1==1.0, "a"<"b", "10"<"9", 10<9}'], LINES, 0, "1 1 1 0\n"),
    (["{print ($1<$2)}"], LINES, 0, "1\n1\n1\n1\n"),
    (["$1>5"], LINES, 0, "a b c\nd e f\n10 20 30\n"),
    (["$1==1"], LINES, 0, "1 2 3\n"),
    (['{x=$1; print (x=="10"), (x==10.0)}'], LINES, 0, "0 0\n0 0\n0 0\n1 1\n"),
    (
        [
            'BEGIN{print length(), length("héllo"), substr("hello",2,3), substr("hello",0,2), substr("hello",-1,3), substr("hello",4), substr("hello",1.5,1), index("foobar","bar"), toupper("aé"), tolower("AÉ")}'
        ],
        LINES,
        0,
        "0 5 ell he hel lo h 4 AÉ aé\n",
    ),
    (
        [
            'BEGIN{n=split("a:b:c",A,":"); print n,A[1],A[3]; n=split("",A); print n,length(A); n=split("  a  b ",B); print n,B[1],B[2]; n=split("abc",C,""); print n,C[1],C[3]}'
        ],
        LINES,
        0,
        "3 a c\n0 0\n2 a b\n3 a c\n",
    ),
    (['BEGIN{n=split("a1b22c",A,/[0-9]+/,S); print n,A[3],S[1],S[2]}'], LINES, 0, "3 c 1 22\n"),
    (
        [
            'BEGIN{s="hello"; sub(/l/,"[&]",s); print s; gsub(/l|o/,"<&>",s); print s; t="aaa"; print gsub(/a/,"b",t), t}'
        ],
        LINES,
        0,
        "he[l]lo\nhe[<l>]<l><o>\n3 bbb\n",
    ),
    (
        [
            'BEGIN{s="abc"; gsub(/b/,"\\\\&",s); print s; s="abc"; gsub(/b/,"\\\\\\\\&",s); print s; s="abc"; gsub(//,"-",s); print s; s="abc"; gsub(/x*/,"-",s); print s}'
        ],
        LINES,
        0,
        "a&c\na\\bc\n-a-b-c-\n-a-b-c-\n",
    ),
    (
        [
            'BEGIN{print gensub(/(a)(b)/,"\\\\2\\\\1","g","abab"); print gensub(/a/,"x",2,"aaa"); print gensub(/a/,"[&]","G","banana"); print gensub("n","\\\\0\\\\0",1,"banana")}'
        ],
        LINES,
        0,
        "baba\naxa\nb[a]n[a]n[a]\nbannana\n",
    ),
    (
        [
            'BEGIN{print match("foobar",/o+/), RSTART, RLENGTH; print match("x",/y/),RSTART,RLENGTH; match("foo123bar",/([a-z]+)([0-9]+)/,m); print m[0],m[1],m[2],m[1,"start"],m[2,"length"]}'
        ],
        LINES,
        0,
        "2 2 2\n0 0 -1\nfoo123 foo 123 1 3\n",
    ),
    (
        [
            'BEGIN{printf "%d|%5.3d|%-5d|%05d|%x|%u|%c|%c|%c|%i|%.2s|%5s|%+d|%#o|%e\\n", 3.9,5,7,8,-1,-5,65,"hello",256,"0x1A","héllo","é",4,8,12345.678}'
        ],
        LINES,
        0,
        "3|  005|7    |00008|ffffffffffffffff|18446744073709551611|A|h|Ā|0|hé|    é|+4|010|1.234568e+04\n",
    ),
    (
        [
            'BEGIN{printf "%s %s %s\\n", "a", 1.5, 1e6; printf "%*d|%-*d|%.*f\\n", 5, 42, 5, 42, 2, 3.14159; printf "%%|%5%|\\n"; printf "%2$s %1$s\\n","a","b"}'
        ],
        LINES,
        0,
        "a 1.5 1000000\n   42|42   |3.14\n%|%|\nb a\n",
    ),
    (
        [
            'BEGIN{printf "%d %d %d\\n", "1e3", 1e18, -1e19; printf "%G %g %E\\n", 1e-10, 123456789, 0.5; printf "%x %X %o\\n",255,255,8; printf "%#x\\n",255}'
        ],
        LINES,
        0,
        "1000 1000000000000000000 -10000000000000000000\n1E-10 1.23457e+08 5.000000E-01\nff FF 10\n0xff\n",
    ),
    (
        [
            "BEGIN{print 1e6, 1e16, 123456789012, 0.1, 1/3, 1e300, -3.0, 3.10, 100000*100000, 2^53, 2^53+1, 1e-5}"
        ],
        LINES,
        0,
        "1000000 10000000000000000 123456789012 0.1 0.333333 1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704443832883878176942523235360430575644792184786706982848387200926575803737830233794788090059368953234970799945081119038967640880074652742780142494579258788820056842838115669472196386865459400540160 -3 3.1 10000000000 9007199254740992 9007199254740992 1e-05\n",
    ),
    (
        [
            'BEGIN{CONVFMT="%.2g"; a=3.14159; b=a ""; print b, a; OFMT="%.3f"; print a, 17, 17.5; x[0.1]=1; for(k in x) print k}'
        ],
        LINES,
        0,
        "3.1 3.14159\n3.142 17 17.500\n0.1\n",
    ),
    (
        [
            'BEGIN{print -2^2, 2^3^2, 2**3, 7%3, -7%3, 7%-3, 5.5%2, 1-1-1, 2*3+4, 2+3*4, (2+3)*4, !0, !1, !"", !"a", - -3, 1 - -1}'
        ],
        LINES,
        0,
        "-4 512 8 1 -1 1 1.5 -1 10 14 20 1 0 1 0 3 2\n",
    ),
    (
        [
            "BEGIN{x=5; x+=2; print x; x-=1; print x; x*=2; print x; x/=4; print x; x%=2; print x; x^=3; print x; x**=2; print x; print x++ + ++x, x--, --x}"
        ],
        LINES,
        0,
        "7\n6\n12\n3\n1\n1\n1\n4 3 1\n",
    ),
    (['BEGIN{print 1 " " 2, 1 2, 1 " " -1, "a" > "/dev/stdout"}'], LINES, 0, "1 2 12 1-1 a\n"),
    (['BEGIN{print 1>2 ? "y":"n"}'], LINES, 1, ""),
    (['BEGIN{print (1>2) ? "y":"n"}'], LINES, 0, "n\n"),
    (["BEGIN{print (1,2) in a, 5}"], LINES, 0, "0 5\n"),
    (
        [
            'BEGIN{a[1,2]=3; for(k in a){split(k,p,SUBSEP); print p[1],p[2]}; if((1,2) in a) print "yes"; print ((1,3) in a)}'
        ],
        LINES,
        0,
        "1 2\nyes\n0\n",
    ),
    (
        [
            'BEGIN{a["x"]=1; delete a["x"]; print length(a); a[1];a[2]; delete a; print length(a); print ("q" in a)}'
        ],
        LINES,
        0,
        "0\n0\n0\n",
    ),
    (
        [
            'BEGIN{while(i<3){i++; if(i==2) continue; print i}; do{print "d",i--}while(i>1); for(i=0;i<5;i++){if(i==3)break; print "f",i}; for(;;){if(++n>2)break}; print n}'
        ],
        LINES,
        0,
        "1\n3\nd 3\nd 2\nf 0\nf 1\nf 2\n3\n",
    ),
    (["function f(n){return n<=1?1:n*f(n-1)} BEGIN{print f(10)}"], LINES, 0, "3628800\n"),
    (['function g(a,i){a[i]="set"} BEGIN{g(arr,"k"); print arr["k"]}'], LINES, 0, "set\n"),
    (
        ["function h(x,  loc){loc[1]=x; x=9; return loc[1]} BEGIN{y=3; print h(y), y; print h(4)}"],
        LINES,
        0,
        "3 3\n4\n",
    ),
    (["function u(a){return length(a)} BEGIN{z[1];z[2]; print u(z)}"], LINES, 0, "2\n"),
    (["function fib(n){if(n<2)return n; return fib(n-1)+fib(n-2)}\nBEGIN{print fib(15)}"], LINES, 0, "610\n"),
    (['function r(){ } BEGIN{x=r(); print "[" x "]", x+0}'], LINES, 0, "[] 0\n"),
    (
        ['function s(a){a["p"]=1; t(a)} function t(b){b["q"]=2} BEGIN{s(m); print m["p"],m["q"]}'],
        LINES,
        0,
        "1 2\n",
    ),
    (['BEGIN{getline; print "got",$0; getline x; print "x",x,NR}'], LINES, 0, "got a b c\nx d e f 2\n"),
    (['{while((getline l < "f1")>0) n++; close("f1")} END{print n,NR}'], LINES, 0, "12 4\n"),
    (
        ['BEGIN{while((getline line < "f1") > 0) print "L:" line; print (getline line < "nofile")}'],
        LINES,
        0,
        "L:x 1\nL:y 2\nL:z 3\n-1\n",
    ),
    (['NR==1{getline; print; next}{print "o",$0}'], LINES, 0, "d e f\no 1 2 3\no 10 20 30\n"),
    (["END{print $0}"], LINES, 0, "10 20 30\n"),
    (["{getline; print NR,$0}"], LINES, 0, "2 d e f\n4 10 20 30\n"),
    (
        ["{print FILENAME,FNR,NR,$0}", "f1", "f2"],
        "",
        0,
        "f1 1 1 x 1\nf1 2 2 y 2\nf1 3 3 z 3\nf2 1 4 p,q,r\nf2 2 5 s,t,u\n",
    ),
    (["FNR==NR{a[$1]=$2;next}{print $1,length(a)}", "f1", "f2"], "", 0, "p,q,r 3\ns,t,u 3\n"),
    (["-F,", "{print $2}", "f2"], "", 0, "q\nt\n"),
    (["-F", "\\t", "{print $2}"], "a\tb c\td\n", 0, "b c\n"),
    (["-Ft", "{print $2}"], "a\tbtc\n", 0, "c\n"),
    (["-F[0-9]+", "{print $2}"], "a12b3c\n", 0, "b\n"),
    (["-F|", "{print $2}"], "a|b|c\n", 0, "b\n"),
    (["-F.", "{print $2}"], "a.b.c\n", 0, "b\n"),
    (["-F", "", "{print $2,NF}"], "abc\n", 0, "b 3\n"),
    (["-v", "x=5", "BEGIN{print x+1, x}"], "", 0, "6 5\n"),
    (["-v", "x=a\\tb", "BEGIN{print x}"], "", 0, "a\tb\n"),
    (["{print v,$1}", "v=1", "f1", "v=2", "f2"], "", 0, "1 x\n1 y\n1 z\n2 p,q,r\n2 s,t,u\n"),
    (["BEGIN{print ARGC,ARGV[1],ARGV[2]}", "p", "q=r"], "", 0, "3 p q=r\n"),
    (["{nextfile}END{print NR}", "f1", "f2"], "", 0, "2\n"),
    (['BEGINFILE{print "B",FILENAME}ENDFILE{print "E",FNR}', "f1", "f2"], "", 0, "B f1\nE 3\nB f2\nE 2\n"),
    (["{print}", "nofile", "f1"], "", 2, ""),
    (["-e", "BEGIN{print 1}", "-e", "BEGIN{print 2}"], "", 0, "1\n2\n"),
    (["-f", "f1"], "", 0, ""),
    (['BEGIN{RS=";"}{printf "<%s>[%s]",$0,RT}'], "a;b;c\n", 0, "<a>[;]<b>[;]<c\n>[]"),
    (
        ['BEGIN{RS=""}{printf "<%s>[%s]%d",$0,RT,NF}'],
        "\n\na\nb c\n\n\nc\nd\n",
        0,
        "<a\nb c>[\n\n\n]3<c\nd>[\n]2",
    ),
    (['BEGIN{RS="X+"}{printf "<%s>[%s]",$0,RT}'], "aXXbXc\n", 0, "<a>[XX]<b>[X]<c\n>[]"),
    (['BEGIN{RS="";FS=","}{print NF": "$1"|"$2"|"$3}'], "a,b\nc\n\nd,e\n", 0, "3: a|b|c\n2: d|e|\n"),
    (['BEGIN{FPAT="([^,]+)|(\\"[^\\"]+\\")"}{print NF,$2}'], 'a,"b,c",d\n', 0, '3 "b,c"\n'),
    (['BEGIN{FIELDWIDTHS="2 3 *"}{print $1"|"$2"|"$3}'], "aabbbcccc\n", 0, "aa|bbb|cccc\n"),
    (['BEGIN{IGNORECASE=1}/ABC/{print "m"} $1=="ABC"{print "eq"}'], "abc\n", 0, "m\neq\n"),
    (['BEGIN{ORS="|";OFS=","}{print $1,$2}'], "a b\nc d\n", 0, "a,b|c,d|"),
    (["{print $1}"], "  lead  x\n", 0, "lead\n"),
    (["{print NF}"], "\n \na\tb\n", 0, "0\n0\n2\n"),
    (["{print length($0)}"], "日本語\n", 0, "3\n"),
    (["{print $1+0}"], "0x1A\n1e2\n+5\n.5.\n-\n+nan\ninf\n", 0, "0\n100\n5\n0.5\n0\n+nan\n0\n"),
    (["{print ($1==0)}"], "0.0\n+0\nabc\n\n", 0, "1\n1\n0\n0\n"),
    (['$1{print "t",$1}'], '0\n0.0\n1\na\n" "\n', 0, 't 1\nt a\nt "\n'),
    (
        ['BEGIN{PROCINFO["sorted_in"]="@ind_num_asc"; a[10];a[9];a[1]; for(k in a) print k}'],
        LINES,
        0,
        "1\n9\n10\n",
    ),
    (
        ['BEGIN{PROCINFO["sorted_in"]="@ind_str_desc"; a["b"];a["c"];a["a"]; for(k in a) print k}'],
        LINES,
        0,
        "c\nb\na\n",
    ),
    (
        [
            'BEGIN{PROCINFO["sorted_in"]="@val_num_desc"; a["x"]=3;a["y"]=10;a["z"]=5; for(k in a) print k,a[k]}'
        ],
        LINES,
        0,
        "y 10\nz 5\nx 3\n",
    ),
    (
        [
            'function c(i1,v1,i2,v2){return v1-v2} BEGIN{PROCINFO["sorted_in"]="c"; a["x"]=3;a["y"]=1; for(k in a) print k}'
        ],
        LINES,
        0,
        "y\nx\n",
    ),
    (
        [
            'BEGIN{a[1]="z";a[2]="b";a[3]="m"; n=asort(a); for(i=1;i<=n;i++) print a[i]; b["q"];b["a"]; n=asorti(b,c); print n,c[1],c[2]}'
        ],
        LINES,
        0,
        "b\nm\nz\n2 a q\n",
    ),
    (
        [
            'BEGIN{a[1]=10;a[2]=9;a[3]="x";a[4]="10"; n=asort(a,b,"@val_num_desc"); for(i=1;i<=n;i++) print b[i]}'
        ],
        LINES,
        0,
        "10\n10\n9\nx\n",
    ),
    (
        [
            'BEGIN{print and(12,10), or(12,10), xor(12,10), lshift(1,4), rshift(16,2), compl(0), strtonum("0x1F"), strtonum("017"), strtonum("12"), strtonum(" 5x")}'
        ],
        LINES,
        0,
        "8 14 6 16 4 9007199254740991 31 15 12 5\n",
    ),
    (
        [
            'BEGIN{a[1];print isarray(a), isarray(b), typeof(a), typeof(1), typeof("s"), typeof(q), typeof($1), typeof(/x/)}'
        ],
        LINES,
        0,
        "1 0 array number string untyped unassigned number\n",
    ),
    (
        ["{print typeof($1), typeof($9)}"],
        LINES,
        0,
        "string unassigned\nstring unassigned\nstrnum unassigned\nstrnum unassigned\n",
    ),
    (
        [
            'BEGIN{print int(3.9), int(-3.9), int("3abc"), sqrt(16), exp(0), log(1), sin(0), cos(0), atan2(0,-1), exp(1)}'
        ],
        LINES,
        0,
        "3 -3 3 4 1 0 0 1 3.14159 2.71828\n",
    ),
    (["BEGIN{print log(-1), -log(0), log(0), exp(1000), sqrt(-1)}"], LINES, 0, "-nan +inf -inf +inf -nan\n"),
    (
        [
            'BEGIN{print strftime("%Y-%m-%d %H:%M:%S",0,1), mktime("1970 01 02 00 00 00"), strftime("%j",86400*40,1)}'
        ],
        LINES,
        0,
        "1970-01-01 00:00:00 86400 041\n",
    ),
    (
        [
            'BEGIN{switch("b"){case "a": print 1; break; case /b/: print 2; case "c": print 3; break; default: print 4}}'
        ],
        LINES,
        0,
        "2\n3\n",
    ),
    (['BEGIN{switch(5){default: print "d"; break; case 1: print 1}}'], LINES, 0, "d\n"),
    (['BEGIN{exit 3} END{print "end"}'], LINES, 3, "end\n"),
    (["{exit} END{print NR; exit 4}"], LINES, 4, "1\n"),
    (["BEGIN{print 1/0}"], LINES, 1, ""),
    (["BEGIN{print 5%0}"], LINES, 1, ""),
    (["BEGIN{print $(-1)}"], LINES, 2, ""),
    (["BEGIN{f(1)}"], LINES, 2, ""),
    (["BEGIN{print (}"], LINES, 1, ""),
    (['BEGIN{print "a'], LINES, 1, ""),
    (['BEGIN { print substr("hello", 2) ; print substr("hello", 10) "|" }'], LINES, 0, "ello\n|\n"),
    (
        ['BEGIN{if(!(3 in a)) print "no"; if(a[3]=="") print "empty"; print (3 in a)}'],
        LINES,
        0,
        "no\nempty\n1\n",
    ),
    (
        ['BEGIN { "x" ~ /x/ ; print "x" ~ "x", "a.c" ~ /a\\.c/, "abc" ~ "a\\.c", "a" !~ /b/ }'],
        LINES,
        0,
        "1 1 1 1\n",
    ),
    (['$0 ~ "a|d"'], LINES, 0, "a b c\nd e f\n"),
    (["!/a/"], LINES, 0, "d e f\n1 2 3\n10 20 30\n"),
    (["!/a/ && /d/ || NR==3"], LINES, 0, "d e f\n1 2 3\n"),
    (['BEGIN{print length "x"}'], LINES, 0, "0x\n"),
    (['BEGIN { print; print "" }'], LINES, 0, "\n\n"),
    (['{ $0 = "x y z"; print $2, NF }'], LINES, 0, "y 3\ny 3\ny 3\ny 3\n"),
    (
        ['{ $3 = "new"; print $0; $0 = "a"; print NF }'],
        LINES,
        0,
        "a b new\n1\nd e new\n1\n1 2 new\n1\n10 20 new\n1\n",
    ),
    (['{ sub(/a/, "Z"); print $1 }'], LINES, 0, "Z\nd\n1\n10\n"),
    (['{ gsub(/[a-z]/, "&&"); print }'], LINES, 0, "aa bb cc\ndd ee ff\n1 2 3\n10 20 30\n"),
    (["{ $2 = $2 + 1 } 1"], LINES, 0, "a 1 c\nd 1 f\n1 3 3\n10 21 30\n"),
    (["{ a[$1]++ } END { n = 0; for (k in a) n += a[k]; print n }"], LINES, 0, "4\n"),
    (
        ['{ print > "out" } END { close("out"); while ((getline l < "out") > 0) print "o:" l }'],
        LINES,
        0,
        "o:a b c\no:d e f\no:1 2 3\no:10 20 30\n",
    ),
    (['{ print > "/dev/stdout" }'], LINES, 0, "a b c\nd e f\n1 2 3\n10 20 30\n"),
    (['BEGIN { printf("%s-%s\\n", "a", "b") }'], LINES, 0, "a-b\n"),
    (['BEGIN { printf "%s" }'], LINES, 2, ""),
    (['BEGIN { printf "%c%c%c", "", 0, 65 }'], LINES, 0, "\x00\x00A"),
    (['BEGIN{print substr("x",1,1e308), substr("hello",2,-1) "|"}'], LINES, 0, "x |\n"),
    (['BEGIN { a = "10"; b = 9; print (a < b), (a+0 < b) }'], LINES, 0, "1 0\n"),
    (['BEGIN { x["a"]; if ("a" in x) print "in"; print length(x) }'], LINES, 0, "in\n1\n"),
    (
        [
            "BEGIN { a[1][2]=3; a[1][3]=4; for (i in a) for (j in a[i]) print i,j,a[i][j]; print isarray(a[1]) }"
        ],
        LINES,
        0,
        "1 2 3\n1 3 4\n1\n",
    ),
    (['BEGIN { if (1) print "a"; else print "b" }'], LINES, 0, "a\n"),
    (['BEGIN { if (0) print "a"\nelse if (1)\nprint "c"\nelse print "b" }'], LINES, 0, "c\n"),
    (["BEGIN { x = 1; { x = 2 }; print x } # comment"], LINES, 0, "2\n"),
    (["BEGIN { print 1,\n 2 }"], LINES, 0, "1 2\n"),
    (["BEGIN { a = 1 &&\n 0; print a }"], LINES, 0, "0\n"),
    (['BEGIN { print "a" "b" == "ab" }'], LINES, 0, "1\n"),
    (['BEGIN { print 1 + 1 "x" }'], LINES, 0, "2x\n"),
    (['BEGIN { print 2 " " 3 * 4 }'], LINES, 0, "2 12\n"),
    (['BEGIN { $0 = "a b"; print $1$2 }'], LINES, 0, "ab\n"),
    (['BEGIN { $3 = "c"; print NF ":" $0 }'], LINES, 0, "3:  c\n"),
    (['BEGIN { i = 1; $0 = "a b c"; print $i++; print i; print $++i }'], LINES, 0, "0\n1\nb\n"),
    (['BEGIN { print index("abc", ""), index("", "a") }'], LINES, 0, "1 0\n"),
    (["BEGIN { print 010, 0x10, 1e, 1.5e2 }"], LINES, 0, "8 16 1 150\n"),
    (['BEGIN { print "A" < "a", "é" > "z", 2 < 10, "2" < "10" }'], LINES, 1, ""),
    (['BEGIN { print toupper(substr("word", 1, 1)) substr("word", 2) }'], LINES, 0, "Word\n"),
    (['BEGIN { regex = "^[a-c]+$"; print ("abc" ~ regex), ("abd" ~ regex) }'], LINES, 0, "1 0\n"),
    (
        ['BEGIN { print match("aaa", /a{2}/), RLENGTH, "a]b" ~ /[]]/, "a/b" ~ /[/]/, "tab\\there" ~ /\\t/ }'],
        LINES,
        0,
        "1 2 1 1 1\n",
    ),
    (
        [
            'BEGIN { print "foo bar" ~ /\\yfoo\\y/, "foobar" ~ /\\yfoo\\y/, "a b" ~ /\\s/, "ab" ~ /\\S\\S/, "x_1" ~ /^\\w+$/ }'
        ],
        LINES,
        0,
        "1 0 1 1 1\n",
    ),
    (['BEGIN { print "\\x41\\101\\/\\"" }'], LINES, 0, 'AA/"\n'),
    (['BEGIN { print ENVIRON["PATH"] != "" ? "" : "", length(ENVIRON["NOPE"]) }'], LINES, 0, " 0\n"),
    (["NR%2"], LINES, 0, "a b c\n1 2 3\n"),
    (["NR%2==0{print NR}"], LINES, 0, "2\n4\n"),
    (['{ print NR % 2 ? "odd" : "even" }'], LINES, 0, "odd\neven\nodd\neven\n"),
    (
        ["{ l[NR] = $0 } END { for (i = NR; i > 0; i--) print l[i] }"],
        LINES,
        0,
        "10 20 30\n1 2 3\nd e f\na b c\n",
    ),
    (["{ if ($1 > max) max = $1 } END { print max }"], LINES, 0, "d\n"),
    (
        ["{ sum = 0; for (i = 1; i <= NF; i++) sum += $i; print sum, sum / NF }"],
        LINES,
        0,
        "0 0\n0 0\n6 2\n60 20\n",
    ),
    (["!seen[$1]++"], LINES, 0, "a b c\nd e f\n1 2 3\n10 20 30\n"),
    (["length > 5"], LINES, 0, "10 20 30\n"),
    (['length($1) == 1 { print "one", $1 }'], LINES, 0, "one a\none d\none 1\n"),
    (["NF"], LINES, 0, "a b c\nd e f\n1 2 3\n10 20 30\n"),
    (['NF { $1 = ""; print substr($0, 2) }'], LINES, 0, "b c\ne f\n2 3\n20 30\n"),
    (["BEGIN { print length(12345), length(1/4) }"], LINES, 0, "5 4\n"),
    (["BEGIN { print substr(12345, 2, 3) + 1 }"], LINES, 0, "235\n"),
    (["BEGIN{print 1;exit;print 2}"], LINES, 0, "1\n"),
    (["func f(x) { x[1]=1 } BEGIN { f(a); print a[1] }"], LINES, 0, "1\n"),
    (["BEGIN { print(1)(2) }"], LINES, 0, "12\n"),
    (['BEGIN { print (1)+(2), -1 " " -1 }'], LINES, 0, "3 -1-1\n"),
    (['BEGIN { a="x"; a = a a a; print a; print a > "/dev/stderr" }'], LINES, 0, "xxx\n"),
    (['BEGIN { NF = 3; $2 = "b"; print; print NF }'], LINES, 0, " b \n3\n"),
    (
        ['BEGIN { OFS = ":"; $0 = "a b c"; $1 = $1; print; OFS = "-"; print; print $1, $2 }'],
        LINES,
        0,
        "a:b:c\na:b:c\na-b\n",
    ),
    (['@include "x"'], LINES, 1, ""),
    (['BEGIN { print toupper(x) "|" x+0 "|" length(x) }'], LINES, 0, "|0|0\n"),
    (["BEGIN { return 1 }"], LINES, 1, ""),
    (["BEGIN { next }"], LINES, 1, ""),
    (["function f(f) { return 1 } BEGIN { print f(1) }"], LINES, 1, ""),
    (['{ print $1, $2 > "/dev/null" }'], LINES, 0, ""),
    (['BEGIN{getline x < "f1"; getline y < "f1"; print x "," y}'], LINES, 0, "x 1,y 2\n"),
    (["/[/]/"], LINES, 0, ""),
    (['/a\\/b/ {print "s"}'], LINES, 0, ""),
    (['BEGIN { "a" in b; print length(b) }'], LINES, 0, "0\n"),
    (['BEGIN { print !x + 1, !x y, 1 - 1 " " 2 }'], LINES, 0, "2 1 0 2\n"),
    (['BEGIN { printf "%s %s\\n", "only" }'], LINES, 2, ""),
    (["BEGIN { x[1]=1; print x }"], LINES, 2, ""),
    (["BEGIN { x=1; x[1]=2 }"], LINES, 2, ""),
    (
        ['BEGIN { print substr("héllo wörld", 2, 4), index("héllo", "l"), match("日本語", "本"), RLENGTH }'],
        LINES,
        0,
        "éllo 3 2 1\n",
    ),
    (['BEGIN { print gsub(/ö/, "o", s = "x") }'], LINES, 1, ""),
    (
        ['{ n = split($0, w, " "); for (i = n; i; i--) printf "%s%s", w[i], (i > 1 ? OFS : ORS) }'],
        LINES,
        0,
        "c b a\nf e d\n3 2 1\n30 20 10\n",
    ),
    (["END { print $1, NF }"], LINES, 0, "10 3\n"),
    (
        ['BEGIN { printf "%5.2f|%-8s|%08.3f|% d\\n", 3.14159, "ab", -3.14159, 42 }'],
        LINES,
        0,
        " 3.14|ab      |-003.142| 42\n",
    ),
    (["BEGIN { print -0, 0 * -1, 1e500, -1e500 }"], LINES, 0, "0 0 +inf -inf\n"),
    (['BEGIN{patsplit("a1b22c",p,/[0-9]+/,s); print p[1],p[2],s[0],s[1],s[2]}'], LINES, 0, "1 22 a b c\n"),
    (["NR==1{NR=10}{print NR}"], LINES, 0, "10\n11\n12\n13\n"),
    (['BEGIN { $5 = ""; print NF; NF = 2; print $0 "|" }'], LINES, 0, "5\n |\n"),
    (["BEGIN { do x++; while (x < 5); print x }"], LINES, 0, "5\n"),
    (
        ["BEGIN { for (i = 0; i < 2; i++) for (j = 0; j < 2; j++) { if (j) continue; print i, j } }"],
        LINES,
        0,
        "0 0\n1 0\n",
    ),
    (['BEGIN{a["x"]=1;f(a)}function f(z,k){for(k in z)print k,z[k]}'], LINES, 0, "x 1\n"),
    (["$1 ~ /^[0-9]+$/ && $2 > 5"], LINES, 0, "10 20 30\n"),
    (['BEGIN{print substr("abcdef", 3, 2); print substr("abc", 2.5)}'], LINES, 0, "cd\nbc\n"),
    (
        ['BEGIN{if (!("x" in a)) a["x"]; for (k in a) print k; delete a; for (k in a) print "no"}'],
        LINES,
        0,
        "x\n",
    ),
    (['BEGIN{RS="\\n\\n"}{print NR": "$0}'], "a\nb\n\nc\n", 0, "1: a\nb\n2: c\n\n"),
    (['BEGIN{RS="\\n|;"}{print NR": "$0}'], "a;b\nc\n", 0, "1: a\n2: b\n3: c\n"),
    (
        ['BEGIN{RS=""}{print $1; for(i=1;i<=NF;i++) printf "%s,", $i; print ""}'],
        "a b\nc\n\n\nd\n",
        0,
        "a\na,b,c,\nd\nd,\n",
    ),
    (['BEGIN{RS="\\n"; FS="\\n"}{print NF}'], "a\nb\n", 0, "1\n1\n"),
    (['NR==1{RS=","}{print NR": "$0}'], "a\nb,c,d\n", 0, "1: a\n2: b\n3: c\n4: d\n\n"),
    (['BEGIN{RS="x";IGNORECASE=1}{print}'], "aXbxc", 0, "aXb\nc\n"),
    (["{print $2}"], "a\x0bb c\r d\r\n", 0, "c\r\n"),
    (["{print NF}"], "a\xa0b\u2003c d\n", 0, "2\n"),
    (
        [
            'BEGIN{print substr("hello",2,0) "|" substr("hello",2.9,2.9) "|" substr("", 1) "|" substr("hi",3) "|"}'
        ],
        "",
        0,
        "|el|||\n",
    ),
    (["function f(a,b){b[1]=a; return b[1]+1} BEGIN{print f(f(f(1)))}"], LINES, 0, "4\n"),
    (['function f(a){a["n"]++; if(a["n"]<5) f(a)} BEGIN{f(q); print q["n"]}'], LINES, 0, "5\n"),
    (['BEGIN{printf "%s\\n", a["x"]; print ("x" in a)}'], LINES, 0, "\n1\n"),
    (['{a[NR%2]=a[NR%2] " " $1} END{print a[0]; print a[1]}'], LINES, 0, " d 10\n a 1\n"),
    (['BEGIN{a["b"]=1; for (k in a) delete a[k]; print length(a)}'], LINES, 0, "0\n"),
    (['{gsub(/[^a-z]+/,"_");print}'], LINES, 0, "a_b_c\nd_e_f\n_\n_\n"),
    (
        ['{gsub("\\\\.","x");gsub("^.","[&]");gsub(/$/,"!");print}'],
        LINES,
        0,
        "[a] b c!\n[d] e f!\n[1] 2 3!\n[1]0 20 30!\n",
    ),
    (
        [
            'BEGIN{s="a.b.c"; n=gsub("\\\\.", "-", s); print n, s; t="x+y"; gsub(/\\+/, " plus ", t); print t; u="p|q"; n=split(u,z,"|"); print n}'
        ],
        LINES,
        0,
        "2 a-b-c\nx plus y\n2\n",
    ),
    (
        ['BEGIN{s="path/to/f"; n=split(s,p,"/"); print p[n]; sub(/\\/[^\\/]*$/,"",s); print s}'],
        LINES,
        0,
        "f\npath/to\n",
    ),
    (['{ $NF=""; print; print NF }'], LINES, 0, "a b \n3\nd e \n3\n1 2 \n3\n10 20 \n3\n"),
    (["{ NF--; print }"], LINES, 0, "a b\nd e\n1 2\n10 20\n"),
    (['{ NF+=2; $NF="e"; print }'], LINES, 0, "a b c  e\nd e f  e\n1 2 3  e\n10 20 30  e\n"),
    (
        ['{ print $1 > "f" NR; close("f" NR); getline x < ("f" NR); print "x" x }'],
        LINES,
        0,
        "xa\nxd\nx1\nx10\n",
    ),
    (['{ for (i=NF;i>0;i--) printf "%s ", $i; print "" }'], LINES, 0, "c b a \nf e d \n3 2 1 \n30 20 10 \n"),
    (['BEGIN { if (("a" "b") == "ab") print "eq" }'], LINES, 0, "eq\n"),
    (
        ['BEGIN { a = "A"; b = a++; print a, b; c = "3x"; c++; print c; print +"1e1", -"5" }'],
        LINES,
        0,
        "1 0\n4\n10 -5\n",
    ),
    (['BEGIN { print 1e3 == "1000", "abc" < 1, 2 < "10" }'], LINES, 0, "1 0 0\n"),
    (
        ['{ print ($1 == "1"), ($1 == 1), ($1 < 5), ($1 < "5") }'],
        LINES,
        0,
        "0 0 0 0\n0 0 0 0\n1 1 1 1\n0 0 0 1\n",
    ),
    (['BEGIN { x["a"] = 1; y = x["a"] x["b"]; print y, length(x) }'], LINES, 0, "1 2\n"),
    (["BEGIN{for(i=1;i<=3;i++){if(i==2)continue;print i}}"], LINES, 0, "1\n3\n"),
    (["NR==1,/nomatch/{n++} END{print n}"], LINES, 0, "4\n"),
    (['/a/,/a/{print "one"}'], LINES, 0, "one\n"),
    (
        ['BEGIN { printf "[%s] [%10s] [%-10s] [%.1s]\\n", "a", "b", "c", "def" }'],
        LINES,
        0,
        "[a] [         b] [c         ] [d]\n",
    ),
    (['BEGIN { printf "%i %5.1f%% %c\\n", 42.9, 99.55, "xyz" }'], LINES, 0, "42  99.5% x\n"),
    (
        ['BEGIN { printf "%s\\t%s\\n", "t", 1e10 ; printf "no newline" }'],
        LINES,
        0,
        "t\t10000000000\nno newline",
    ),
    (['BEGIN { printf "%5%|%c|\\n", 256+65 }'], LINES, 0, "%|Ł|\n"),
    (['BEGIN { print substr("x", "a"), 1==1, 1=="1", "a"=="a" }'], LINES, 0, "x 1 1 1\n"),
    (["function max(a,b) { return a > b ? a : b }\n{ print max($1, $2) }"], LINES, 0, "b\ne\n2\n20\n"),
    (
        [
            'BEGIN { a["x"]["y"] = 1; a["x"]["z"]; print length(a["x"]); delete a["x"]["y"]; print length(a["x"]) } '
        ],
        LINES,
        0,
        "2\n1\n",
    ),
    (
        [
            "function w(a, i, n) { for (i in a) if (isarray(a[i])) n += w(a[i]); else n += a[i]; return n } BEGIN { t[1]=1; t[2][1]=5; t[2][2]=6; print w(t) }"
        ],
        LINES,
        0,
        "12\n",
    ),
    (['BEGIN { print toupper("straße"), tolower("ÀÉ") }'], LINES, 0, "STRAßE àé\n"),
    (['BEGIN { print length("\\t"), "a\\tb" }'], LINES, 0, "1 a\tb\n"),
    (['BEGIN{ printf "%d", "0x1A"; print 1==1 ? "a" : "b" }'], LINES, 0, "0a\n"),
    (
        ['BEGIN { $0 = "3 4"; print $1 * $2, $1 $2, $1 - $2, $1 / $2, -$1, !$1 }'],
        LINES,
        0,
        "12 34 -1 0.75 -3 0\n",
    ),
    (
        ["BEGIN { print 100000000000000000000, 1e20, 0.1 + 0.2, 1e-300 * 1e-300 }"],
        LINES,
        0,
        "100000000000000000000 100000000000000000000 0.3 0\n",
    ),
    (['BEGIN { print int("0x10"), int(""), int("12abc") }'], LINES, 0, "0 0 12\n"),
    (['$2 ~ /[0-9]/ { print $2 ; next } { print "no" }'], LINES, 0, "no\nno\n2\n20\n"),
    (["BEGIN { while (i++ < 3) { if (i == 2) break } print i }"], LINES, 0, "2\n"),
    (['{ print; getline; print "2:" $0 }'], LINES, 0, "a b c\n2:d e f\n1 2 3\n2:10 20 30\n"),
    (["BEGIN { print -3 % 2, 2 ^ 0.5, 2 ^ -1, 0 ^ 0 }"], LINES, 0, "-1 1.41421 0.5 1\n"),
    (["BEGIN { a = b = c = 4; print a b c; a += b -= 1; print a, b }"], LINES, 0, "444\n7 3\n"),
    (["BEGIN { print 1 < 2 }"], LINES, 0, "1\n"),
    (["BEGIN { print (1 < 2) (2 < 1) }"], LINES, 0, "10\n"),
    (['BEGIN { print "x" in a, !("x" in a) }'], LINES, 0, "0 1\n"),
    (
        ['BEGIN { getline l < "f1"; close("f1"); getline m < "f1"; print l, m; print close("zz") }'],
        LINES,
        0,
        "x 1 x 1\n-1\n",
    ),
    (["BEGIN{print length()}{print length}"], LINES, 0, "0\n5\n5\n5\n8\n"),
    (["BEGIN{print;print NF}"], LINES, 0, "\n0\n"),
    (['BEGIN { "a" ; 1 ; print "ok" }'], LINES, 0, "ok\n"),
    (
        ['{ print NR ":" $0 >> "app" } END { close("app"); while ((getline l < "app") > 0) print l }'],
        LINES,
        0,
        "1:a b c\n2:d e f\n3:1 2 3\n4:10 20 30\n",
    ),
    (["END { while ((getline l < ARGV[1]) > 0) n++; print n+0 }"], LINES, 2, ""),
    (['BEGIN { ARGV[1] = "f1"; ARGC = 2 } { print }'], LINES, 0, "x 1\ny 2\nz 3\n"),
    (["{print}", "x=1", "-"], "in\n", 0, "in\n"),
    (["--", "{print $1}", "f1"], "", 0, "x\ny\nz\n"),
    (["-vFS=,", "{print $1}", "f2"], "", 0, "p\ns\n"),
    (["-v", "OFS=-", "{print $1,$2}"], "a b\n", 0, "a-b\n"),
    (["-F:", "BEGIN{print FS}"], "", 0, ":\n"),
    (["-F", "\\|", "{print $2}"], "a|b\n", 0, "b\n"),
    (["-F ", "{print $2}"], "a  b\n", 0, "b\n"),
    (["--posix-nope", "1"], "", 1, ""),
]


@pytest.mark.parametrize(("argv", "stdin", "status", "stdout"), CASES, ids=range(len(CASES)))
def test_prints(utility, argv, stdin, status, stdout):
    assert utility("gawk", *argv, stdin=stdin, files=FILES)[:2] == (status, stdout)
