import { NoQuery } from "@dbdepot/contract/operator/queries";
import {
  AcceptanceList,
  AcceptancesQuery,
  AddedTerms,
  AddTermsRequest,
  OperatorTermsText,
  TERMS_MAX_BYTES,
  TermsList,
  TermsQuery,
} from "@dbdepot/contract/operator/terms";
import { acceptanceFilter, addTerms, requireTerms } from "../../domain/terms/add.ts";
import { acceptanceToWire, listedTerms, termsToWire } from "../../domain/terms/wire.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";

export const TERMS_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/terms",
    scope: "operator.read",
    summary: "List terms",
    query: TermsQuery,
    response: TermsList,
    async respond(context) {
      const { store } = context.services;
      const page = await listPage(context, (request) => store.terms.page(request));
      return { terms: await listedTerms(store, page) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/terms",
    scope: "operator.write",
    summary: "Add terms or their next version",
    body: AddTermsRequest,
    // JSON escapes line breaks and quotation marks.
    bodyMaxBytes: 4 * TERMS_MAX_BYTES,
    response: AddedTerms,
    async respond({ services, operation, body }) {
      const { terms, isNew } = await addTerms(operation, body);
      return { ...(await termsToWire(services.store, terms)), added: isNew };
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/terms/:id",
    scope: "operator.read",
    summary: "Get terms with their text",
    query: NoQuery,
    response: OperatorTermsText,
    async respond({ services, id }) {
      const terms = await requireTerms(services.store, id);
      return { ...(await termsToWire(services.store, terms)), text: terms.text };
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/acceptances",
    scope: "operator.read",
    summary: "List acceptances of terms",
    query: AcceptancesQuery,
    response: AcceptanceList,
    async respond(context) {
      const { query } = context;
      const { store } = context.services;
      const filter = await acceptanceFilter(store, query);
      const page = await listPage(context, (request) => store.terms.acceptances(filter, request));
      return { acceptances: page.map(acceptanceToWire) };
    },
  }),
];
