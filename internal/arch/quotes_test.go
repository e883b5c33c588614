package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quote is a block of Go in a document, with the file and the name that the comment above
// it says it is from.
var quote = regexp.MustCompile("(?s)<!-- (\\S+\\.go): (\\w+) -->\n```go\n(.*?)```\n")

// What these documents quote stands in the file named, which a test
// compiles and runs.
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
			if !strings.Contains(block, name) || !strings.Contains(unindented(string(source)), unindented(block)) {
				t.Errorf("%s: what it quotes of %s as %s does not stand there:\n%s", document, file, name, block)
			}
		}
	}
}

// unindented is text without the spaces at the beginning of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}
