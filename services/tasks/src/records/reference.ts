/** An input of a deployment that points to an item of a collection. */
export interface Reference {
  input: string;
  /** The key under which items of one sort are referred to, whatever spelling the chart has for it. */
  collection: string;
  item_id: string;
}
