/** An input of a deployment that points to an item of a collection. */
export interface Reference {
  input: string;
  /** The key of the collection, the same for every spelling that charts use. */
  collection: string;
  item_id: string;
}
