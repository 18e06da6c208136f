import { Modal, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import classes from "./jump.module.css";
import type { JumpTarget } from "./target.ts";
import { useJumpTargets } from "./targets.ts";

/** Finds anything that has a page, and opens it, and runs actions. */
export function JumpDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [text, setText] = useState("");
  const { targets, isLoading } = useJumpTargets(text);
  const [selected, setSelected] = useState(0);
  const current = targets[Math.min(selected, targets.length - 1)];
  const listId = useId();
  const open = ({ link, run }: JumpTarget) => {
    onClose();
    run?.();
    if (link) void router.navigate(link);
  };
  const handleKey = (event: KeyboardEvent) => {
    // Enter confirms the composition of characters in some languages.
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) return current && open(current);
    setSelected((Math.min(selected, targets.length - 1) + step + targets.length) % targets.length);
  };
  return (
    <Modal.Root opened onClose={onClose} size="lg" padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label="Jump to" radius="lg">
        <TextInput
          data-autofocus
          aria-label="Jump to"
          placeholder="Page, action, organization, database, key prefix or request id"
          size="lg"
          variant="unstyled"
          className={classes.input ?? ""}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={current && optionId(listId, current)}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={handleKey}
        />
        <div className={classes.list} role="listbox" id={listId} aria-label="Results">
          {targets.map((target) => (
            <Option
              key={target.id}
              id={optionId(listId, target)}
              target={target}
              isSelected={target === current}
              onOpen={() => open(target)}
            />
          ))}
        </div>
        <Text c="dimmed" className={classes.none ?? ""} role="status">
          {targets.length === 0 && (isLoading ? "Searching…" : "Nothing found.")}
        </Text>
      </Modal.Content>
    </Modal.Root>
  );
}

interface OptionProps {
  id: string;
  target: JumpTarget;
  isSelected: boolean;
  onOpen: () => void;
}

function Option({ id, target: { kind, title, detail }, isSelected, onOpen }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keyboard for all options
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the selected option
    <div ref={element} id={id} role="option" aria-selected={isSelected} className={classes.option} onClick={onOpen}>
      <Text span inherit truncate title={[title, detail].filter(Boolean).join(" ")}>
        {title}
        {detail && (
          <Text span c="dimmed">
            {" "}
            {detail}
          </Text>
        )}
      </Text>
      <Text span size="xs" c="dimmed">
        {kind}
      </Text>
    </div>
  );
}

function optionId(listId: string, { id }: JumpTarget): string {
  return `${listId}${id}`;
}
