# The formula of Homebrew; packaging/release.sh fills in version and checksums.
class Ehgnn < Formula
  desc "Learns from the edges of graphs"
  homepage "https://github.com/ehgnn/ehgnn"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/ehgnn/ehgnn/releases/download/v@VERSION@/ehgnn-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@DARWIN_ARM64@"
    end
    on_intel do
      url "https://github.com/ehgnn/ehgnn/releases/download/v@VERSION@/ehgnn-@VERSION@-darwin-amd64.tar.gz"
      sha256 "@DARWIN_AMD64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/ehgnn/ehgnn/releases/download/v@VERSION@/ehgnn-@VERSION@-linux-arm64.tar.gz"
      sha256 "@LINUX_ARM64@"
    end
    on_intel do
      url "https://github.com/ehgnn/ehgnn/releases/download/v@VERSION@/ehgnn-@VERSION@-linux-amd64.tar.gz"
      sha256 "@LINUX_AMD64@"
    end
  end

  def install
    bin.install "ehgnn"
    man1.install "ehgnn.1"
    generate_completions_from_executable(bin/"ehgnn", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ehgnn version")
  end
end
