import { OptionFault } from "@dbdepot/terminal/arguments";
import type { Command } from "@dbdepot/terminal/command";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { grammarOf } from "./completion/grammar.ts";
import { zshScript } from "./completion/zsh.ts";
import { command, type Workplace } from "./workplace.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

/** Made from the commands themselves, so that it cannot lag behind. */
export function completionCommands(others: readonly Command<Workplace>[], shared: Command<Workplace>["options"]) {
  const completion: Command<Workplace> = command({
    words: "completion",
    summary: "Print what makes a shell complete this command's words: bash, zsh or fish.",
    arguments: ["SHELL"],
    options: {},
    notes: [
      "bash: put  source <(dbdepot completion bash)  into ~/.bashrc.",
      "zsh: put  source <(dbdepot completion zsh)  into ~/.zshrc, below compinit.",
      "fish: dbdepot completion fish > ~/.config/fish/completions/dbdepot.fish",
    ],
    async run(_, [shell]) {
      const name = (Object.keys(SCRIPTS) as Shell[]).find((candidate) => candidate === shell);
      if (!name) throw new OptionFault(`"${shell}" is none of ${Object.keys(SCRIPTS).join(", ")}`);
      const script = SCRIPTS[name](grammarOf([...others, completion], shared));
      return { json: { shell: name, script }, text: script };
    },
  });
  return [completion];
}
