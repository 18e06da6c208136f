import { Button, Group, Modal, type ModalProps, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";

const EVENTS_BEFORE_INPUT = ["pointerdown", "keydown", "beforeinput"];

type DialogProps = Pick<ModalProps, "title" | "size" | "fullScreen" | "closeOnClickOutside" | "children"> & {
  onClose: () => void;
  /** Whether a request is under way that sends the input, after which leaving loses nothing. */
  isSaving?: boolean;
  /** Whether there is other input than fields, such as chosen files. */
  hasFurtherInput?: boolean;
};

/** A dialog that asks before it discards what was entered, whether it is closed or its page is left. */
export function Dialog({ onClose, isSaving, hasFurtherInput, children, ...modal }: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  const initial = useRef<string>(undefined);
  const hasInput = () => {
    if (isSaving || !content.current) return false;
    return hasFurtherInput || (initial.current !== undefined && fieldsOf(content.current) !== initial.current);
  };
  const { leave, question, isAsking } = useInputGuard(hasInput);
  const watch = useCallback((element: HTMLDivElement) => {
    content.current = element;
    // Fields may be filled in by what is loaded, until the first of these events before someone changes one.
    const remember = () => {
      initial.current ??= fieldsOf(element);
    };
    for (const event of EVENTS_BEFORE_INPUT) element.addEventListener(event, remember, true);
    return () => {
      content.current = null;
    };
  }, []);
  return (
    <>
      <Modal opened onClose={() => leave(onClose)} closeOnEscape={!isAsking && !isSaving} {...modal}>
        <div ref={watch}>{children}</div>
      </Modal>
      {question}
    </>
  );
}

const DISCARD = {
  title: "Discard what you entered?",
  text: "It has not been saved.",
  keep: "Keep editing",
  discard: "Discard",
};

/** Asks before input is lost because its form is closed, its page is left or the tab is closed. */
export function useInputGuard(hasInput: () => boolean, words = DISCARD) {
  const [discard, setDiscard] = useState<() => void>();
  const blocker = useBlocker({ shouldBlockFn: hasInput, enableBeforeUnload: hasInput, withResolver: true });
  const isBlocked = blocker.status === "blocked";
  const keep = () => {
    setDiscard(undefined);
    blocker.reset?.();
  };
  const isAsking = isBlocked || discard !== undefined;
  return {
    isAsking,
    leave: (close: () => void) => (hasInput() ? setDiscard(() => close) : close()),
    question: isAsking && (
      <DiscardQuestion words={words} onKeep={keep} onDiscard={isBlocked ? blocker.proceed : () => discard?.()} />
    ),
  };
}

interface DiscardQuestionProps {
  words: typeof DISCARD;
  onKeep: () => void;
  onDiscard: () => void;
}

function DiscardQuestion({ words, onKeep, onDiscard }: DiscardQuestionProps) {
  return (
    <Modal opened onClose={onKeep} title={words.title} size="sm">
      <Stack gap="lg">
        <Text>{words.text}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onKeep} data-autofocus>
            {words.keep}
          </Button>
          <Button color="red.9" onClick={onDiscard}>
            {words.discard}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The values of all fields, to compare. */
function fieldsOf(content: Element): string {
  const fields = [...content.querySelectorAll<HTMLInputElement>("input, textarea, select")];
  return JSON.stringify(
    fields.map(({ type, value, checked }) => (type === "checkbox" || type === "radio" ? checked : value)),
  );
}
