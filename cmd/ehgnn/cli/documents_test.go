//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// documentBlock is a fenced block of a page. Commands are in blocks ```sh. A block of another language
// that directly follows one shows what the commands print. Tests do not run blocks ```sh no-run.
type documentBlock struct {
	info        string // text after the opening ```
	body        string
	first, last int // lines of the body in the page, from first up to, but not including, last
	section     string
}

// documentBlocks lists the fenced blocks of a page.
func documentBlocks(lines []string) []documentBlock {
	var blocks []documentBlock
	section := ""
	for i := 0; i < len(lines); i++ {
		if title, ok := strings.CutPrefix(lines[i], "## "); ok {
			section = strings.TrimSpace(title)
		}
		info, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		b := documentBlock{info: strings.TrimSpace(info), first: i + 1, section: section}
		for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
			b.body += lines[i]
		}
		b.last = i
		blocks = append(blocks, b)
	}
	return blocks
}

// output returns the block that shows the output of block i, if there is one.
func output(blocks []documentBlock, lines []string, i int) (documentBlock, bool) {
	if i+1 == len(blocks) || strings.HasPrefix(blocks[i+1].info, "sh") || strings.HasPrefix(blocks[i+1].body, "$ ") {
		return documentBlock{}, false
	}
	between := strings.Join(lines[blocks[i].last+1:blocks[i+1].first-1], "")
	return blocks[i+1], strings.TrimSpace(between) == ""
}

// variable matches text that differs from run to run: durations, and the digest of weights, whose
// metadata contain the path of the data.
var variable = regexp.MustCompile(`\b\d+(\.\d+)? ?m?s\b|\b\d+m\d+s\b|"digest":"[0-9a-f]+"`)

// comparable returns output without the parts that differ from run to run.
func comparable(out string) string {
	return variable.ReplaceAllString(strings.TrimRight(out, "\n"), "...")
}

// documentShell runs the commands of a page in one folder.
type documentShell struct {
	dir, prelude string
	replace      *strings.Replacer // changes commands before they run, or nil
}

// newDocumentShell returns a shell in a new folder. In it, ehgnn is the program, go build copies the
// built program, and go run runs a package of this repository.
func newDocumentShell(t *testing.T) documentShell {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return documentShell{dir: dir, prelude: `set -e
PATH=` + filepath.Dir(path) + `:$PATH
go() {
	case "$1 $2" in
	"build -o") cp ` + path + ` "$3" ;;
	"run ./"*)
		(cd ` + root + ` && command go build -o ` + filepath.Join(dir, "run") + ` "$2")
		shift 2
		` + filepath.Join(dir, "run") + ` "$@" ;;
	esac
}
`}
}

// run runs the commands of a block.
func (s documentShell) run(t *testing.T, code string) result {
	t.Helper()
	if s.replace != nil {
		code = s.replace.Replace(code)
	}
	cmd := exec.Command("bash", "-c", s.prelude+code)
	cmd.Dir = s.dir
	return finish(t, cmd)
}

// checkDocument runs the commands of a page in a shell. Commands in the sections of failing must
// fail, and all others must succeed. If compare is set, the page must show their output, and -update
// rewrites the page. It returns the number of blocks that were run.
func checkDocument(t *testing.T, page string, s documentShell, compare bool, failing ...string) int {
	t.Helper()
	lines := slices.Collect(strings.Lines(read(t, page)))
	blocks := documentBlocks(lines)
	text := slices.Clone(lines)
	n, shift := 0, 0 // shift is the number of lines that text has more than lines
	for i, b := range blocks {
		if b.info != "sh" {
			continue
		}
		n++
		r := s.run(t, b.body)
		if fails := slices.Contains(failing, b.section); (r.code != 0) != fails {
			t.Fatalf("%s:%d: exit code %d of\n%s\n%s%s", page, b.first+1, r.code, b.body, r.stdout, r.stderr)
		}
		shown, ok := output(blocks, lines, i)
		if !ok || !compare || comparable(shown.body) == comparable(r.stdout) {
			continue
		}
		if !*update {
			t.Errorf("%s:%d: the commands\n%s\nprint\n%s\nthe page has\n%s", page, b.first+1, b.body, r.stdout, shown.body)
		}
		text = slices.Replace(text, shown.first+shift, shown.last+shift, strings.TrimRight(r.stdout, "\n")+"\n")
		shift += 1 - (shown.last - shown.first)
	}
	if *update && compare {
		if err := os.WriteFile(page, []byte(strings.Join(text, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// measuredHere reports whether this processor computes the numbers in the documentation, which come
// from the AVX2 and AVX-512 kernels.
func measuredHere() bool { return strings.HasPrefix(kernel.Level(), "avx") }

// The commands of these pages succeed, and the pages show their output. -update rewrites the pages.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("trains the models of the documentation")
	}
	root := filepath.Join("..", "..", "..")
	for _, test := range []struct {
		page string
		set  []string // a file of the data folder that the commands need
	}{
		{page: "README.md"},
		{page: "docs/data.md", set: []string{"tu", "MUTAG.zip"}},
		{page: "docs/edges.md"},
		{page: "docs/start-analyst.md"},
		{page: "docs/start-engineer.md", set: []string{"tu", "MUTAG.zip"}},
		{page: "docs/start-researcher.md", set: []string{"tu", "MUTAG.zip"}},
		{page: "docs/sweep.md", set: []string{"tu", "MUTAG.zip"}},
	} {
		t.Run(test.page, func(t *testing.T) {
			s := newDocumentShell(t)
			if test.set != nil {
				file := realdata.Path(t, test.set...)
				s.prelude += "export EHGNN_DATA=" + strings.TrimSuffix(file, filepath.Join(test.set...)) + "\n"
			}
			if n := checkDocument(t, filepath.Join(root, filepath.FromSlash(test.page)), s, measuredHere()); n == 0 {
				t.Error("no block of commands")
			}
		})
	}
}
