export const SERVICE_NETWORK = '10.96.0.0/16';
/** Address of the service `kubernetes`: the first of the service network. */
export const API_SERVICE_ADDRESS = '10.96.0.1';
/** The address at which pods of a real node reach servers on this machine, on an interface that the node creates. */
export const NODE_ADDRESS = '10.245.0.1';
