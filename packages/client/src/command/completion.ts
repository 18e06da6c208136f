import { Argument, type Command, examples } from "@dbdepot/terminal/command";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { grammarOf } from "./completion/grammar.ts";
import { zshScript } from "./completion/zsh.ts";
import type { Run } from "./context.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
const SHELLS = ["bash", "zsh", "fish"] as const;

export function addCompletionCommand(program: Command, run: Run): void {
  program
    .command("completion")
    .description("Print a completion script for a shell")
    .addArgument(new Argument("<shell>", "shell to complete for").choices(SHELLS))
    .addHelpText(
      "after",
      examples(
        "source <(dbdepot completion bash)       # in ~/.bashrc",
        "source <(dbdepot completion zsh)        # in ~/.zshrc, after compinit",
        "dbdepot completion fish > ~/.config/fish/completions/dbdepot.fish",
      ),
    )
    .action(
      run(async (_, shell) => {
        const script = SCRIPTS[shell](grammarOf(program));
        return { json: { shell, script }, text: script };
      }),
    );
}
