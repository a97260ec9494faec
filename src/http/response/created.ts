/** The answer of an operation that has created something, with the path at which people can look at it. */
export class Created<Dto> {
  /** @param webPath such as `/view/DEMO-1`; the `Location` header is the service's address followed by it */
  constructor(
    readonly dto: Dto,
    readonly webPath: string,
  ) {}
}
