# The formula, for a tap. `url` and `sha256` are those of the source distribution of a release, which
# the index names; there is none yet, so they are marked. The packages that Surveyor needs come as
# wheels, as several of them cannot be built from source without Rust and C++.
class Surveyor < Formula
  include Language::Python::Virtualenv

  desc "One map of the code for editors and coding agents"
  homepage "https://pypi.org/project/surveyor/"
  url "https://files.pythonhosted.org/packages/source/s/surveyor/surveyor-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000" # of the release
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    venv = virtualenv_create(libexec, "python3.13")
    system venv.root/"bin/python", "-m", "ensurepip"
    system venv.root/"bin/python", "-m", "pip", "install", "--prefer-binary", buildpath
    bin.install_symlink libexec/"bin/surveyor"
    man1.install_symlink libexec/"share/man/man1/surveyor.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/surveyor"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_surveyor"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/surveyor.fish"
  end

  test do
    (testpath/"cookie.py").write "def sign(key):\n    \"\"\"Sign a session cookie.\"\"\"\n"
    ENV["SURVEYOR_DATA_DIR"] = testpath/"data"
    system bin/"surveyor", "index", testpath
    assert_match "cookie.py", shell_output("#{bin}/surveyor search 'sign a cookie' --project #{testpath}")
    system bin/"surveyor", "engine", "stop"
  end
end
