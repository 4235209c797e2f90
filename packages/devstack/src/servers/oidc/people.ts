/** People who can sign in at the local identity provider without a password. Their names are also their subjects. */
export const people = [
  { name: 'ada', displayName: 'Ada Lovelace', email: 'ada@example.test', note: 'site admin' },
  { name: 'grace', displayName: 'Grace Hopper', email: 'grace@example.test', note: 'no admin' },
  { name: 'linus', displayName: 'Linus Pauling', email: 'linus@example.test', note: 'no admin' },
] as const;

/** A person whom the page does not list, for tests: providers pass on any name that people give themselves. */
const stranger = {
  name: 'mallory',
  displayName: '<img src=x onerror="window.attacked=1">',
  email: 'mallory@example.test',
};

export function claimsOfPerson(subject: string) {
  const person = [...people, stranger].find(({ name }) => name === subject);
  if (!person) return undefined;
  return { sub: subject, name: person.displayName, email: person.email, email_verified: true };
}
