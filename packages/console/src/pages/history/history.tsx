import { getRouteApi } from "@tanstack/react-router";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { Page } from "../../components/page.tsx";
import { OwnLimits } from "../limits/limit-bars.tsx";
import { AttemptHistory, HistoryActions, useAttemptSource } from "./attempt-history.tsx";
import { withoutOperatorFilters } from "./filter.ts";

const route = getRouteApi("/signed-in/history");

/** Shows the attempts of the person's organization, or of all organizations for operators. */
export function History() {
  const isOperator = isOperatorRole(useAccount().role);
  const search = route.useSearch();
  const filter = isOperator ? search : withoutOperatorFilters(search);
  const navigate = route.useNavigate();
  const { description } = useAttemptSource();
  return (
    <Page title="History" description={description} actions={<HistoryActions filter={filter} />}>
      {!isOperator && <OwnLimits />}
      <AttemptHistory filter={filter} onFilter={(next) => void navigate({ search: next, replace: true })} />
    </Page>
  );
}
