/** An input of a deployment that points to an item of a collection. */
export interface Reference {
  input: string;
  /** The key of the collection, whatever spelling the chart uses. */
  collection: string;
  item_id: string;
}
