declare module "pako-classic" {
  export { Deflate } from "pako";
}
