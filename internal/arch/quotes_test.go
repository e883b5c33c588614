package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quote matches a block of Go in a document, with the file and the name in the comment above it.
var quote = regexp.MustCompile("(?s)<!-- (\\S+\\.go): (\\w+) -->\n```go\n(.*?)```\n")

// The quoted code is in the named file, which a test compiles and runs. -update rewrites the
// quotes.
func TestQuotes(t *testing.T) {
	root := filepath.Join("..", "..")
	for document, least := range map[string]int{"docs/architecture.md": 9, "README.md": 1, "docs/start-engineer.md": 1} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(document)))
		if err != nil {
			t.Fatal(err)
		}
		quotes := quote.FindAllStringSubmatch(string(text), -1)
		if marks := strings.Count(string(text), "<!--"); len(quotes) < least || len(quotes) != marks {
			t.Errorf("%s: %d quotes of %d comments, expected one each and at least %d", document, len(quotes), marks, least)
		}
		for _, q := range quotes {
			file, name, block := q[1], q[2], q[3]
			source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				t.Errorf("%s: %v", document, err)
				continue
			}
			if strings.Contains(block, name) && strings.Contains(unindented(string(source)), unindented(block)) {
				continue
			}
			if current, ok := requoted(string(source), block); ok && *update {
				text = []byte(strings.Replace(string(text), block, current, 1))
			} else {
				t.Errorf("%s: what it quotes of %s as %s does not stand there:\n%s", document, file, name, block)
			}
		}
		if *update {
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(document)), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// unindented returns text without the spaces at the beginning of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}

// requoted returns the code of source that should replace block: from its first line to its last
// line, which may occur several times in block, without the indentation of the first line.
func requoted(source, block string) (string, bool) {
	lines := slices.Collect(strings.Lines(source))
	quoted := slices.Collect(strings.Lines(block))
	from := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(quoted[0]) })
	if from < 0 {
		return "", false
	}
	indent := lines[from][:strings.Index(lines[from], strings.TrimSpace(lines[from]))]
	last := quoted[len(quoted)-1]
	left := strings.Count("\n"+block, "\n"+last)
	var b strings.Builder
	for _, l := range lines[from:] {
		l = strings.TrimPrefix(l, indent)
		b.WriteString(l)
		if l == last {
			left--
		}
		if left == 0 {
			return b.String(), true
		}
	}
	return "", false
}
