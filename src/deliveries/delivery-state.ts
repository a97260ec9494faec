/** The state of a delivery. */
export enum DeliveryState {
  /** Not delivered yet; another attempt follows. */
  Pending = 0,
  /** The receiver responded with 2xx. */
  Delivered = 1,
  /** The last attempt failed. */
  Failed = 2,
}

/** The states, by their names in the API. */
export const DELIVERY_STATES = {
  pending: DeliveryState.Pending,
  delivered: DeliveryState.Delivered,
  failed: DeliveryState.Failed,
} as const;

export type DeliveryStateName = keyof typeof DELIVERY_STATES;

export const DELIVERY_STATE_NAMES = Object.keys(DELIVERY_STATES) as DeliveryStateName[];

/** Returns the name of a state in the API. */
export const deliveryStateName = (state: DeliveryState): DeliveryStateName =>
  DELIVERY_STATE_NAMES.find((name) => DELIVERY_STATES[name] === state) as DeliveryStateName;
