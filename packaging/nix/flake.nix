# `nix run ./packaging/nix` from a clone. nixpkgs lacks some of the packages that Surveyor needs, so
# it is installed from its wheel's own list by uv, into the user's cache, with an interpreter of nixpkgs.
{
  description = "One map of the code for editors and coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      surveyor =
        pkgs:
        pkgs.writeShellApplication {
          name = "surveyor";
          runtimeInputs = [
            pkgs.uv
            pkgs.git
          ];
          text = ''
            export UV_PYTHON=${pkgs.python313}/bin/python3 UV_PYTHON_DOWNLOADS=never
            export LD_LIBRARY_PATH=${pkgs.lib.makeLibraryPath [ pkgs.stdenv.cc.cc.lib ]}
            exec uvx --quiet surveyor@0.1.0 "$@"
          '';
        };
    in
    {
      packages = each (pkgs: {
        default = surveyor pkgs;
      });
      apps = each (pkgs: {
        default = {
          type = "app";
          program = "${surveyor pkgs}/bin/surveyor";
        };
      });
    };
}
