import { buildChoiceParser, buildCommand } from '@stricli/core';
import { type Cli, print } from '../../terminal/cli.ts';

/** Each asks `berth __complete WORDS`, whose last word is the one that is completed. */
const scripts = {
  bash: `_berth() {
  local IFS=$'\\n'
  COMPREPLY=($(berth __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _berth berth`,
  zsh: `#compdef berth
_berth() {
  local -a found
  found=("\${(@f)$(berth __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- \${found:#}
}
# The first completion loads this file as the function itself.
if [ "$funcstack[1]" = _berth ]; then _berth; else compdef _berth berth; fi`,
  fish: `function __berth_complete
  set -l words (commandline -opc) (commandline -ct)
  berth __complete $words[2..-1] 2>/dev/null
end
complete -c berth -f -a '(__berth_complete)'`,
} as const;

type Shell = keyof typeof scripts;

export const completion = buildCommand<object, [Shell], Cli>({
  docs: {
    brief: 'Write a script that completes commands, flags and names in a shell',
    fullDescription: [
      'Write a script that completes commands, flags and names of rows in a shell. Where the platform does not answer at once, names are left out.',
      '',
      '  berth completion bash > ~/.local/share/bash-completion/completions/berth',
      '  berth completion zsh > ~/.zsh/completions/_berth',
      '  berth completion fish > ~/.config/fish/completions/berth.fish',
    ].join('\n'),
  },
  parameters: {
    flags: {},
    positional: {
      kind: 'tuple',
      parameters: [
        {
          parse: buildChoiceParser(['bash', 'zsh', 'fish']),
          brief: 'bash, zsh or fish',
          placeholder: 'shell',
          proposeCompletions: (partial: string) => ['bash', 'zsh', 'fish'].filter((one) => one.startsWith(partial)),
        },
      ],
    },
  },
  func(_, shell) {
    print(this, scripts[shell]);
  },
});
