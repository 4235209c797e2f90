import { z } from 'zod';
import { dnsSubdomain } from '../../fields/dns-subdomain.ts';
import { Text } from '../../fields/fields.ts';
import { ruleWords } from '../../fields/rule-words.ts';

const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';
const labelKey = new RegExp(`^(?:${dnsSubdomain}/)?${name}$`);
const noLabelKey = 'must be the key of a label, such as example.com/pool';
const hasShortDomain = (key: string): boolean => key.indexOf('/') <= 253;
const LabelKey = z.string().regex(labelKey, noLabelKey).refine(hasShortDomain, noLabelKey);
const LabelValue = z.string().regex(new RegExp(`^(?:${name})?$`), 'must be the value of a label');

const most = 100;

/** Entries are counted before each is checked: a body has room for ten thousand, each with its own errors. */
const few = <T extends z.ZodType>(entries: T) =>
  z.preprocess((value, context) => {
    if (typeof value === 'object' && value !== null && Object.keys(value).length > most) {
      context.addIssue({ code: 'custom', message: `must have at most ${most} entries` });
    }
    return value;
  }, entries);

/** Node placement of an env's pods, as Kubernetes defines it. An invalid one would make every deployment of the env fail. */
const Selector = z
  .record(Text, LabelValue)
  // A schema of the keys would not name the broken rule.
  .superRefine((selector, context) => {
    const bad = Object.keys(selector).find((key) => !labelKey.test(key) || !hasShortDomain(key));
    if (bad !== undefined) context.addIssue({ code: 'custom', path: [bad], message: noLabelKey });
  });
export const NodeSelector = few(Selector).nullable();

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

const Toleration = z
  .strictObject({
    /** Without it, and with `Exists`, every taint is tolerated. */
    key: z.union([LabelKey, z.literal('')]).exactOptional(),
    operator: z.enum(['Exists', 'Equal'], ruleWords('must be Exists or Equal')).exactOptional(),
    value: LabelValue.exactOptional(),
    effect: z.enum(['', ...effects], ruleWords(`must be one of ${effects.join(', ')}`)).exactOptional(),
    tolerationSeconds: z.number().int().exactOptional(),
  })
  .superRefine(({ key, operator, value, effect, tolerationSeconds }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (!key && operator !== 'Exists') refuse('operator', 'must be Exists where there is no key');
    if (value && operator === 'Exists') refuse('value', 'must be empty with the operator Exists');
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      refuse('tolerationSeconds', 'needs the effect NoExecute');
    }
  });

export const Tolerations = few(z.array(Toleration).max(most)).nullable();
