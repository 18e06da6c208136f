import { getRouteApi } from "@tanstack/react-router";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { Page } from "../../components/page.tsx";
import { OwnLimits } from "../limits/own-limits.tsx";
import { UsageLink } from "../usage/usage-link.tsx";
import { AttemptHistory, historyBounds, useAttemptSource } from "./attempt-history.tsx";
import { withoutOperatorFilters } from "./filter.ts";

const route = getRouteApi("/signed-in/history");

/** Shows the attempts of the person's organization, or of all organizations for operators. */
export function History() {
  const isOperator = isOperatorRole(useAccount().role);
  const search = route.useSearch();
  const filter = isOperator ? search : withoutOperatorFilters(search);
  const navigate = route.useNavigate();
  const source = useAttemptSource();
  return (
    <Page
      title="History"
      description={source.description}
      actions={
        <>
          <UsageLink organization={filter.organization} />
          <ExportButton url={source.url(filter, { ...historyBounds(filter), format: "csv" })} />
        </>
      }
    >
      {!isOperator && <OwnLimits />}
      <AttemptHistory filter={filter} onFilter={(next) => void navigate({ search: next, replace: true })} />
    </Page>
  );
}
