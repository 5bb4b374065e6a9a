#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Recordings that are wrong: an error with its place (2), or a report (0, 1); never a crash (4, a signal) and no wait.
# With "long" as third argument: cut at every byte, and each byte of the text changed.
. "$(dirname "$0")/common.bash"
long=${3:-}

# judged WHAT FILE
judged() {
  doctor check --from "$2"
  case $status in 0 | 1 | 2) ;; *) fault "$1: ended with $status: $(head -c 300 "$work/err")" ;; esac
  [ "$status" = 2 ] && { out_empty "$1"; [ -s "$work/err" ] || fault "$1: refused without a word"; }
  no_controls "$work/err" "$1" && no_controls "$work/out" "$1"
}

# refused WHAT, the text on standard input: status 2 with file:line:column.
refused() {
  cat >"$work/case.toml"
  judged "$1" "$work/case.toml"
  [ "$status" = 2 ] || fault "$1 is taken (status $status)"
  grep -Eq 'case\.toml:[0-9]+:[0-9]+: ' "$work/err" || fault "$1: no place: $(cat "$work/err")"
}
refused 'an unknown key' <<<$'[recording]\nnonsense = 1'
refused 'an unknown table' <<<$'[recording]\n[nonsense]\na = 1'
refused 'an unknown key of a file' <<<$'[recording]\n[files]\n"/a" = { nonsense = "x" }'
refused 'a number as a file' <<<$'[recording]\n[files]\n"/a" = 1'
refused 'a list as a link' <<<$'[recording]\n[links]\n"/a" = ["b"]'
refused 'a text as a folder' <<<$'[recording]\n[folders]\n"/a" = "b"'
refused 'a text as a command' <<<$'[recording]\n[commands]\n"a" = "b"'
refused 'a relative path' <<<$'[recording]\n[files]\n"a" = "b"'
refused 'an unknown error' <<<$'[recording]\n[files]\n"/a" = { error = "nonsense" }'
refused 'an unknown kind' <<<$'[recording]\n[info]\n"/a" = { kind = "nonsense" }'
refused 'another world' <<<$'[recording]\nworld = "flat"'
refused 'a format of the future' <<<$'[recording]\nformat = 2'
refused 'a huge format' <<<$'[recording]\nformat = 99999999999999999999999'
refused 'a key twice' <<<$'[recording]\n[files]\n"/a" = "1"\n"/a" = "2"'
refused 'odd hexadecimal' <<<$'[recording]\n[files]\n"/a" = { hex = "0" }'
refused 'no hexadecimal' <<<$'[recording]\n[files]\n"/a" = { hex = "zz" }'
refused 'a nested text' <<<$'[recording]\n[files]\n"/a" = { text = ["x"] }'
refused 'a list of lists' <<<$'[recording]\n[folders]\n"/a" = [["x"]]'
refused 'numbers as names' <<<$'[recording]\n[folders]\n"/a" = [1]'
refused 'an empty name' <<<$'[recording]\n[folders]\n"/a" = [""]'
refused 'a slash in a name' <<<$'[recording]\n[folders]\n"/a" = ["../b"]'
refused 'a negative size' <<<$'[recording]\n[info]\n"/a" = { size = -1 }'
refused 'a wrong mode' <<<$'[recording]\n[info]\n"/a" = { mode = "rwx" }'
refused 'an unknown end' <<<$'[recording]\n[commands]\n"a" = { end = "nonsense" }'
refused 'a word as exit status' <<<$'[recording]\n[commands]\n"a" = { exit = "x" }'
refused 'running as a number' <<<$'[recording]\nrunning = 1'
refused 'a wrong time' <<<$'[recording]\nnow = "yesterday"'
refused 'a folder that is no path' <<<$'[recording]\nfolder = "x"'
refused 'brackets without end' < <(printf '[recording]\nnow = '; head -c 100000 /dev/zero | tr '\0' '[')
refused 'tables without end' < <(printf '[recording]\nnow = '; for ((i = 0; i < 3000; ++i)); do printf '{a='; done)
refused 'a null byte' < <(printf '[recording]\nworld = "\0"')
refused 'no UTF-8' < <(printf '[recording]\nworld = "\xff"')
head -c 100000 /dev/urandom >"$work/random.toml" && judged 'random bytes' "$work/random.toml"

taken() { cat >"$work/case.toml"; judged "$1" "$work/case.toml"; [ "$status" != 2 ] || fault "$1 is refused: $(cat "$work/err")"; }
taken 'an empty machine' <<<'[recording]'
taken 'links in a circle' <<<$'[recording]\n[links]\n"/etc" = "/usr"\n"/usr" = "/etc"\n"/opt" = "opt"\n"/lib" = "../lib/../lib"'
taken 'a null byte in a file' <<<$'[recording]\n[files]\n"/etc/os-release" = "ID=\\u0000debian\\nNAME=\\u001b[31m"'
taken 'hostile variables' <<<$'[recording]\n[variables]\n"HOME" = "/h\\u001b[31m\\n/x"\n"PATH" = "::/\\u0007:$(touch x)"\n"CUDA_HOME" = "../../.."\n"LD_LIBRARY_PATH" = ":::*:/*/*/*"\n"VIRTUAL_ENV" = "/h\\u001b[31m\\n/x"'
taken 'a time far away' <<<$'[recording]\nnow = 9223372036854775807'
taken 'huge sizes' <<<$'[recording]\n[info]\n"/dev/nvidia0" = { size = 9223372036854775807, owner = 4294967295, mode = "7777" }'

# Cut anywhere, it is refused or judged.
sample=$src/tests/machines/ubuntu2404-system-python.toml
size=$(stat -c %s "$sample")
for ((at = 0; at < size; at += ${long:+1} + 0 ? 1 : 50)); do
  head -c "$at" "$sample" >"$work/cut.toml"
  judged "cut at $at" "$work/cut.toml"
done
if [ -n "$long" ]; then
  for character in '"' '\' '[' '=' '0' $'\n' $'\xff'; do
    for ((at = 0; at < size; at += 7)); do
      { head -c "$at" "$sample"; printf %s "$character"; tail -c +$((at + 2)) "$sample"; } >"$work/changed.toml"
      judged "byte $at changed" "$work/changed.toml"
    done
  done
  # Large ones: 50 MB are read, more than 64 MiB are refused; also from standard input.
  limit=60
  { cat "$sample"; printf '[commands]\n'; for ((i = 0; i < 50; ++i)); do printf '"c%s" = { out = "' "$i"; head -c 1000000 /dev/zero | tr '\0' 'x'; printf '" }\n'; done; } >"$work/large.toml"
  taken 'a recording of 50 MB' <"$work/large.toml"
  truncate -s 10G "$work/huge.toml"
  judged 'a recording of 10 GB' "$work/huge.toml"
  timeout 60 "$bin" check --from - </dev/zero >"$work/out" 2>"$work/err"
  [ $? = 2 ] || fault "zeros without end on standard input are not refused"
  err_has 'larger than'
fi
end
