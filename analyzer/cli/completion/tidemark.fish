# Completion of tidemark in fish: the command itself says what can come next.

function __tidemark_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l command $words[1]
    set -e words[1]
    # Of "--output=pict" the shell is asked about "pict".
    set -l value (string replace -r -- '^--[^=]*=' '' $word)
    set -l before (string sub -l (math (string length -- $word) - (string length -- $value)) -- $word)
    for line in ($command __complete $words $word 2>/dev/null)
        switch $line
            case :files
                printf '%s\n' $before(__fish_complete_path $value)
            case :folders
                printf '%s\n' $before(__fish_complete_directories $value '')
            case :traces
                __fish_complete_path $value | string match -r -- '.*(?:\.tmk|/)(?:\t.*)?$'
            case ':command *'
                set -l program (string escape -- $words) $word
                complete -C (string join ' ' -- $program[(math 1 + (string replace ':command ' '' $line))..-1])
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c tidemark -f -a '(__tidemark_complete)'
