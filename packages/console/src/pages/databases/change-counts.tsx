import type { ChangeCounts as Counts } from "@dbdepot/contract/v2/changes";
import { Anchor, Text } from "@mantine/core";
import { Fragment } from "react";
import { formatCount } from "../../components/format.ts";

/** A link to the details. */
export function ChangeCounts({ counts, onClick }: { counts: Counts | null; onClick: () => void }) {
  if (!counts) return <Text c="dimmed">–</Text>;
  const { added, removed, changed } = counts;
  const words = [`${formatCount(added)} added,`, `${formatCount(removed)} removed,`, `${formatCount(changed)} changed`];
  return (
    <Anchor component="button" type="button" onClick={onClick} size="sm" ta="left">
      {words.map((text, index) => (
        <Fragment key={text}>
          {index > 0 && " "}
          <span style={{ whiteSpace: "nowrap" }}>{text}</span>
        </Fragment>
      ))}
    </Anchor>
  );
}
