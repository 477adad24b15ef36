# Completion of tidemark in bash: the command itself says what can come next.

_tidemark() {
  local words=() plain=() origins=() lines=() i word line last typed candidate
  # "--format=js" comes in three words.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ $word == "=" || ${words[-1]} == *= ]]; then
      words[-1]+=$word
    else
      words+=("$word")
      origins+=("$i")
    fi
  done
  # As the shell will read them: without backslashes and quotes around a word.
  for word in "${words[@]}"; do
    word=${word//\\/}
    word=${word#[\"\']}
    plain+=("${word%[\"\']}")
  done
  typed=${words[-1]-}
  last=${COMP_WORDS[COMP_CWORD]}
  [[ $last == "=" ]] && last=

  COMPREPLY=()
  mapfile -t lines < <("${COMP_WORDS[0]}" __complete "${plain[@]}" 2>/dev/null)
  for line in "${lines[@]}"; do
    case $line in
      :files) compopt -o default -o filenames ;;
      :folders) compopt -o dirnames ;;
      :traces)
        compopt -o default -o filenames
        mapfile -t COMPREPLY < <(compgen -f -X '!*.tmk' -- "$last"; compgen -d -- "$last")
        ;;
      :command*)
        i=${origins[${line#:command }]}
        if declare -F _comp_command_offset >/dev/null; then
          _comp_command_offset "$i"
        elif declare -F _command_offset >/dev/null; then
          _command_offset "$i"
        elif ((i == COMP_CWORD)); then
          mapfile -t COMPREPLY < <(compgen -c -- "$last")
        else
          compopt -o default -o filenames
        fi
        ;;
      *)
        candidate=${line%%$'\t'*}
        candidate=${candidate:${#typed} - ${#last}}
        [[ $candidate == *= ]] && compopt -o nospace
        printf -v candidate %q "$candidate"
        COMPREPLY+=("$candidate")
        ;;
    esac
  done
}

complete -F _tidemark tidemark
