import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { Section } from "../../components/section.tsx";
import { LimitBars } from "./limit-bars.tsx";

const REFRESH_MS = 30_000;

/** The limits of the person's organization. Shows nothing if it has none. */
export function OwnLimits() {
  const { data } = useQuery({ queryKey: ["limits"], queryFn: api.limits, refetchInterval: REFRESH_MS });
  if (!data || data.limits.length === 0) return null;
  return (
    <Section title="Limits" description="What your organization may use. Ask your vendor to change them.">
      <LimitBars limits={data.limits} />
    </Section>
  );
}
