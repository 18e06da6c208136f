import { SETTINGS, type SettingName } from "./settings.ts";

type Dashed<N extends string> = N extends `${infer Head}_${infer Tail}` ? `${Head}-${Tail}` : N;
type SettingOptions<N extends SettingName> = { [K in N as Dashed<K>]: { value: string; help: string } };

const VALUES: Partial<Record<SettingName, string>> = {
  directory: "DIR",
  formats: "LIST",
  delivery: "HOW",
  parallel: "N",
  keep: "N",
  hook: "COMMAND",
  jitter: "TIME",
  max_age: "TIME",
  status_file: "FILE",
};

/** Settings as options of a command: what is given there wins. */
export function settingOptions<const N extends SettingName>(...names: N[]): SettingOptions<N> {
  const options = names.map((name) => {
    const { help, leftOut } = SETTINGS[name];
    return [
      name.replace("_", "-"),
      { value: VALUES[name] ?? "VALUE", help: `${help.replace(/\.$/, "")}; left out: ${leftOut}.` },
    ];
  });
  return Object.fromEntries(options);
}
