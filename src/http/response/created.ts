/** The answer to what has made something that people can look at, with the path at which they do. */
export class Created<Dto> {
  /** @param webPath such as `/view/DEMO-1`; the answer's `Location` header has it behind the service's address */
  constructor(
    readonly dto: Dto,
    readonly webPath: string,
  ) {}
}
