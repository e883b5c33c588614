package arch

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link      = regexp.MustCompile(`\]\(([^()\s]+)\)|<img [^>]*src="([^"]+)"`)
	titleLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// document is a page in Markdown: the files that it links to, and the anchors of its headings.
type document struct {
	links   []string
	anchors []string
}

// parseDocument finds the links and headings of a page outside its fenced blocks.
func parseDocument(text string) document {
	var d document
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			d.links = append(d.links, m[1]+m[2])
		}
		if level := strings.IndexByte(line, ' '); level > 0 && strings.Trim(line[:level], "#") == "" {
			d.anchors = append(d.anchors, d.anchor(strings.TrimSpace(line[level:])))
		}
	}
	return d
}

// anchor returns the anchor that GitHub gives a new heading: lower case, without punctuation, with
// hyphens for spaces, and with a number if the page already has the anchor.
func (d document) anchor(title string) string {
	title = titleLink.ReplaceAllString(title, "$1")
	name := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
	for n, numbered := 1, name; ; n++ {
		if !slices.Contains(d.anchors, numbered) {
			return numbered
		}
		numbered = fmt.Sprintf("%s-%d", name, n)
	}
}

// documents reads all pages of the repository, by path.
func documents(t *testing.T, root string) map[string]document {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("git ls-files: %v", err)
	}
	pages := map[string]document{}
	for name := range strings.FieldsSeq(string(out)) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, but still in the index
		}
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = parseDocument(string(text))
	}
	return pages
}

// Every link of a page to a file or heading of the repository exists. The changelog may name
// headings that pages had when a change was made.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	pages := documents(t, root)
	for name, page := range pages {
		for _, target := range page.links {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, target)
			} else if linked, ok := pages[to]; ok && anchor != "" && name != "CHANGELOG.md" && !slices.Contains(linked.anchors, anchor) {
				t.Errorf("%s links to %s, but %s has no such heading", name, target, to)
			}
		}
	}
}

// docs/index.md links to every page of docs.
func TestIndex(t *testing.T) {
	pages := documents(t, filepath.Join("..", ".."))
	for name := range pages {
		dir, file := path.Split(name)
		if dir == "docs/" && file != "index.md" && !slices.Contains(pages["docs/index.md"].links, file) {
			t.Errorf("docs/index.md has no link to %s", file)
		}
	}
}

func TestAnchors(t *testing.T) {
	d := parseDocument("# `a` and [b](c.md), 100 %!\n## x\n```sh\n# no heading\n```\n## x\n")
	if want := []string{"a-and-b-100-", "x", "x-1"}; !slices.Equal(d.anchors, want) {
		t.Errorf("anchors %q, want %q", d.anchors, want)
	}
	if want := []string{"c.md"}; !slices.Equal(d.links, want) {
		t.Errorf("links %q, want %q", d.links, want)
	}
}
