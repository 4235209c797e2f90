/** The rules of the protocol (docs/decisions/0015). The search uses all of them, or leaves one out. */
export const rules = {
  'a lease counts from before its renewal was sent': true,
  'a gateway is listed before it has the lease': true,
  'the clock is read when an identity is used': true,
  'a renewal prolongs no ticket that was taken before': true,
  'a ticket is taken before its lookup is sent': true,
  'a result looked up before an invalidation is not kept': true,
  'no request joins the lookup of another': true,
  'a gateway forgets before it confirms': true,
  'the list is read after the commit': true,
  'a change waits for the gateways': true,
  'a change also waits for a gateway that does not answer': true,
  'a gateway stays on the list until its lease has run out': true,
  'a gateway that has renewed meanwhile stays on the list': true,
  'a repeat that changes nothing waits as well': true,
} as const;
export type Rule = keyof typeof rules;
