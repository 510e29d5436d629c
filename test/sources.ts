import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** Every source file of the workspaces, by its path from the root; tests are not among them. */
export function sources(): { path: string; text: string }[] {
  const workspaces = ["packages", "apps"].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(kind, name)),
  );
  return [...workspaces, "examples", "examples/adapter"].flatMap((workspace) => {
    const folder = join(workspace, "src");
    return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => {
        const path = join(folder, file);
        return { path, text: readFileSync(join(root, path), "utf8") };
      });
  });
}
