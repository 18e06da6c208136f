import { Anchor, Badge, Group, Paper, Text, Title } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCount } from "../../components/format.ts";
import classes from "./overview.module.css";

interface Item {
  key: string;
  /** The page about it. */
  target?: Pick<LinkProps, "to" | "params" | "search">;
  title: string;
  details: string;
  aside: ReactNode;
}

interface AttentionListProps {
  title: string;
  /** The page with the whole list. The title links to it. */
  page?: Pick<LinkProps, "to" | "search">;
  count: number;
  empty: string;
  items: Item[];
}

export function AttentionList({ title, page, count, empty, items }: AttentionListProps) {
  return (
    <Paper component="section" className={classes.card ?? ""} aria-label={title}>
      <Group gap="xs" px="lg" py="md">
        <Title order={2}>
          {page ? (
            <Anchor inherit c="inherit" renderRoot={(props) => <Link {...page} {...props} />}>
              {title}
            </Anchor>
          ) : (
            title
          )}
        </Title>
        {count > 0 && (
          <Badge variant="default" radius="xl" className={classes.count ?? ""}>
            {formatCount(count)}
          </Badge>
        )}
      </Group>
      {items.length === 0 ? (
        <Text c="dimmed" px="lg" pb="lg">
          {empty}
        </Text>
      ) : (
        <ul className={classes.items}>
          {items.map((item) => (
            <li key={item.key}>
              {item.target ? (
                <Link className={`${classes.item} ${classes.link}`} {...item.target}>
                  <ItemText item={item} />
                </Link>
              ) : (
                <div className={classes.item}>
                  <ItemText item={item} />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </Paper>
  );
}

function ItemText({ item: { title, details, aside } }: { item: Item }) {
  return (
    <>
      <span className={classes.what}>
        <Text component="span" display="block" fw={500}>
          {title}
        </Text>
        <Text component="span" display="block" size="sm" c="dimmed">
          {details}
        </Text>
      </span>
      <Text component="div" className={classes.aside ?? ""}>
        {aside}
      </Text>
    </>
  );
}
