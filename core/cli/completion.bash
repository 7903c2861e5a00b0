_ridgeline() {
    local word=${COMP_WORDS[COMP_CWORD]} verb= one flags=
    for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $one in %verbs) verb=$one; break;; esac
    done
    case $verb in
        '') COMPREPLY=($(compgen -W "%all" -- "$word")); return;;
%cases
    esac
    if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
    else COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word")); fi
}
complete -o filenames -F _ridgeline ridgeline
