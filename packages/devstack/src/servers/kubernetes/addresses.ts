export const SERVICE_NETWORK = '10.96.0.0/16';
/** Of the service `kubernetes`: the first of its network. */
export const API_SERVICE_ADDRESS = '10.96.0.1';
/** Where pods of a real node reach servers of this machine: on an interface that the node makes. */
export const NODE_ADDRESS = '10.245.0.1';
