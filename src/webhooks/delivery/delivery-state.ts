/** Where a delivery stands. */
export enum DeliveryState {
  /** Not delivered yet; has an attempt ahead. */
  Pending = 0,
  /** The receiver has answered 2xx. */
  Delivered = 1,
  /** Every attempt has failed. */
  Failed = 2,
}

/** The states as the wire names them. */
export const DELIVERY_STATE_NAMES = {
  [DeliveryState.Pending]: 'pending',
  [DeliveryState.Delivered]: 'delivered',
  [DeliveryState.Failed]: 'failed',
} as const;

export type DeliveryStateName = (typeof DELIVERY_STATE_NAMES)[DeliveryState];
