/** The result of an operation that has created an entity, with the path of its page for users. */
export class Created<Dto> {
  /** @param webPath such as `/view/DEMO-1`; the `Location` header is the service's address followed by it */
  constructor(
    readonly dto: Dto,
    readonly webPath: string,
  ) {}
}
