export interface InputFlags {
  set?: readonly string[];
  file?: readonly string[];
}

/** The inputs of a form, for `configInputs`. With the alias `f` for `file`. */
export const inputFlags = {
  set: {
    kind: 'parsed',
    parse: String,
    brief: 'An input, name=value; may be repeated',
    variadic: true,
    optional: true,
  },
  file: {
    kind: 'parsed',
    parse: String,
    brief: 'Inputs in YAML or JSON; may be repeated',
    variadic: true,
    optional: true,
  },
} as const;
