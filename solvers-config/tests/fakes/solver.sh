#!/bin/sh
# A solver that knows one formula (a constant, asserted, which the dialogue calls `x2`) and misbehaves once, in the way
# its first argument says.
#   $1 how to misbehave    $2 a marker to find its processes by    $3 a file that exists once it has misbehaved
mode=$1
export WARPATH_FAKE_MARKER="$2"
state=$3
if [ -e "$state" ]; then mode=good; else : > "$state"; fi

crash() { kill -SEGV $$; }
hang() { while :; do sleep 100; done; }

# Before anything is read.
case $mode in
    silent) hang ;;
    crash-at-start) crash ;;
    exit-at-start) echo "no licence" >&2; exit 3 ;;
    early) echo sat ;;
    flood-stdout) yes sat ;;
    deaf-flood-stdout) yes "(" ;;
    long-answer) yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | tr -d '\n' ;;
    flood-stderr) head -c 10000000 /dev/zero | tr '\0' 'e' >&2 ;;
    noisy-start) echo success; echo unsupported; echo success ;;
    ignores-term) trap '' TERM INT HUP ;;
    closes-stdout-at-start) exec 1>&-; hang ;;
    memory) head -c 2000000000 /dev/zero | tail -n 1 > /dev/null || exit 1 ;;
esac

while IFS= read -r line; do
    case $line in
        "(get-info"*)
            case $mode in
                crash-at-greeting) crash ;;
                wrong-greeting) echo "(:version 5)" ; continue ;;
            esac
            echo '(:name "fake")'
            # Having greeted, it no longer reads, and not much fits into its pipe.
            [ "$mode" = never-reads ] && hang
            ;;
        "(declare-const"*) [ "$mode" = crash-at-declare ] && crash ;;
        "(push"*) [ "$mode" = crash-at-push ] && crash ;;
        "(pop"*) [ "$mode" = crash-at-pop ] && crash ;;
        "(assert"*)
            case $mode in
                crash-at-assert) crash ;;
                error-at-assert) echo '(error "line 3: unknown sort")' ;;
            esac
            ;;
        "(check-sat"*)
            case $mode in
                hang | ignores-term) hang ;;
                crash-at-check) crash ;;
                exit-at-check) exit 0 ;;
                crash-with-words) echo "assertion failed: é (" >&2; crash ;;
                garbage) echo "qwertz uiop" ;;
                binary-garbage) printf '\001\377\376(((\n' ;;
                closing-parenthesis) echo ")" ;;
                unbalanced-error) echo '(error "parse error at ( and ((")' ;;
                open-error) printf '(error "never ends (' ; hang ;;
                non-ascii-error) printf '(error "Ungültig: → (")\n' ;;
                invalid-utf8-error) printf '(error "bad \377\376 bytes")\n' ;;
                unsupported) echo unsupported ;;
                half-answer) printf '((x2' ; hang ;;
                verdict-in-list) echo "(sat)" ;;
                unknown) echo unknown ;;
                too-much) echo sat; echo sat ;;
                closes-stdout) exec 1>&-; hang ;;
                orphan) sleep 1000 & exit 7 ;;
                orphan-setsid) setsid sleep 1000 & setsid sh -c 'setsid sleep 1000 & sleep 1000' & sleep 0.2; exit 7 ;;
                good-with-orphans) setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo sat ;;
                out-of-memory-error) echo '(error "out of memory")' ;;
                says-bad-alloc) echo "terminate called: std::bad_alloc" >&2; kill -ABRT $$ ;;
                unsat | crash-at-core | wrong-core | no-list-core) echo unsat ;;
                *) echo sat ;;
            esac
            ;;
        "(get-value"*)
            case $mode in
                crash-at-values) crash ;;
                hang-at-values) hang ;;
                wrong-model) echo "((x2 false))" ;;
                wrong-sort) echo "((x2 5))" ;;
                no-value) echo "((x2 maybe))" ;;
                missing-value) echo "()" ;;
                other-symbol) echo "((q true))" ;;
                no-pairs) echo "(x2 true)" ;;
                error-at-values) echo '(error "no model )")' ;;
                *) echo "((x2 true))" ;;
            esac
            ;;
        "(get-unsat-core"*)
            case $mode in
                crash-at-core) crash ;;
                wrong-core) echo "(never_asserted)" ;;
                no-list-core) echo "nothing" ;;
                *) echo "(%FFn0)" ;;
            esac
            ;;
    esac
done
