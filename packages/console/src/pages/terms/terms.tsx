import { getRouteApi } from "@tanstack/react-router";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { AllTerms } from "./all-terms.tsx";
import { OwnTermsList } from "./own-terms.tsx";
import { OwnTermsVersion } from "./own-version.tsx";
import { TermsVersion } from "./version.tsx";

const route = getRouteApi("/signed-in/terms/$id");

/** Shows the terms of the person's organization, or all terms for operators. */
export function Terms() {
  return isOperatorRole(useAccount().role) ? <AllTerms /> : <OwnTermsList />;
}

export function TermsPage() {
  const { id } = route.useParams();
  return isOperatorRole(useAccount().role) ? <TermsVersion id={id} /> : <OwnTermsVersion id={id} />;
}
