/** The settings of a numeric field; null where there is none. */
export interface NumericSettings {
  min: number | null;
  max: number | null;
  /** What clients offer for a new issue. */
  initialValue: number | null;
  unit: string | null;
}

/** How clients find the date that they offer for a new issue. */
export enum InitialDateKind {
  Today = 1,
  TodayShifted = 2,
  Fixed = 3,
}

/** The settings of a date field; days are `yyyy-MM-dd`. */
export interface DateSettings {
  min: string | null;
  max: string | null;
  initialDate: { id: InitialDateKind; date: string | null; shift: number | null } | null;
}

/** The settings of a list, check boxes and radio buttons. */
export interface ListSettings {
  /** An issue can have a text besides the items. Only check boxes and radio buttons have one. */
  allowInput: boolean;
  /** Whoever may change issues may add items. */
  allowAddItem: boolean;
}

/** What the type of a custom field adds to it; a text has none. */
export type CustomFieldSettings = Partial<NumericSettings> | Partial<DateSettings> | Partial<ListSettings>;
