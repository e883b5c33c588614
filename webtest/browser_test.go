package webtest

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed testdata/axe-core/axe.min.js
var axe string

// browser starts the browser once; nil where there is none.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := os.Getenv("EHGNN_BROWSER")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		return nil, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(60*time.Second))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	atEnd = append(atEnd, stop, closeBrowser)
	return ctx, chromedp.Do(ctx)
})

// atEnd is what to do when all tests are done, the last first.
var atEnd []func()

// look is how a window shows a page.
type look struct {
	width  int64
	scheme string // light or dark
	forced bool   // forced colours
	static bool   // scripts are off
}

func (l look) String() string {
	name := fmt.Sprintf("%s-%d", l.scheme, l.width)
	if l.forced {
		name += "-forced"
	}
	if l.static {
		name += "-static"
	}
	return name
}

// window is a tab of the browser that notes what goes wrong in it.
type window struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	troubles []string
	allowed  func(url string) bool
}

// open opens a window; the test is skipped where there is no browser.
func open(t *testing.T, l look) *window {
	t.Helper()
	all, err := browser()
	if err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	if all == nil {
		if os.Getenv("EHGNN_REQUIRE_BROWSER") == "1" {
			t.Fatal("no Chromium was found, which EHGNN_REQUIRE_BROWSER=1 asks for; make browser installs one")
		}
		t.Skip("no Chromium was found; make browser installs one")
	}
	ctx, cancel := chromedp.NewContext(all)
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute) // of a machine that has much else to do
	t.Cleanup(func() { stop(); cancel() })
	w := &window{t: t, ctx: ctx}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}}
	if l.forced {
		media.Features = append(media.Features, &emulation.MediaFeature{Name: "forced-colors", Value: "active"})
	}
	w.must(chromedp.Listen(ctx, w.note))
	call(w, network.Enable, network.EnableParams{})
	call(w, log.Enable, cdp.Empty{})
	call(w, runtime.Enable, cdp.Empty{})
	call(w, emulation.SetEmulatedMedia, media)
	call(w, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: 900, DeviceScaleFactor: 1})
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.static})
	return w
}

func (w *window) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// call sends a command of the protocol.
func call[P, R any](w *window, command cdp.Command[P, R], params P) R {
	w.t.Helper()
	r, err := chromedp.Call(w.ctx, command, params)
	w.must(err)
	return r
}

// note keeps errors of scripts and of the console, and requests that go elsewhere.
func (w *window) note(event any) {
	trouble := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		trouble = fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			trouble = fmt.Sprintf("console: %s", e.Args[0].Value)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			trouble = "log: " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		w.mu.Lock()
		if w.allowed != nil && !w.allowed(e.Request.URL) {
			trouble = "request elsewhere: " + e.Request.URL
		}
		w.mu.Unlock()
	}
	if trouble != "" {
		w.mu.Lock()
		w.troubles = append(w.troubles, trouble)
		w.mu.Unlock()
	}
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	w.must(chromedp.Do(w.ctx, steps...))
}

// visit goes to an address and waits for the page.
func (w *window) visit(address string) {
	w.t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.allowed = func(to string) bool {
		u, err := url.Parse(to)
		return err == nil && (u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == at.Scheme && u.Host == at.Host && (at.Scheme != "file" || u.Path == at.Path))
	}
	w.mu.Unlock()
	w.do(chromedp.Navigate(address))
}

// calm fails the test where something went wrong since the last call.
func (w *window) calm(where string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, trouble := range w.troubles {
		w.t.Errorf("%s: %s", where, trouble)
	}
	w.troubles = nil
}

// forget drops what went wrong as the test wants it.
func (w *window) forget(holding string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.troubles = slices.DeleteFunc(w.troubles, func(trouble string) bool { return strings.Contains(trouble, holding) })
}

// value is that of an expression.
func value[T any](w *window, expression string) T {
	w.t.Helper()
	out, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	w.must(err)
	return out
}

// place is where a point of an element is in the window, which scrolls to it; x and y are shares of its width and height.
func (w *window) place(element string, x, y float64) (left, top float64) {
	w.t.Helper()
	at := value[[2]float64](w, fmt.Sprintf(`(e => { e.scrollIntoView({ block: "center", behavior: "instant" }); const b = e.getBoundingClientRect(); return [b.left + %v * b.width, b.top + %v * b.height]; })(%s)`, x, y, element))
	return at[0], at[1]
}

// mouse does something with the mouse at a place of the window: it moves, or presses or releases the left button the n-th time.
func (w *window) mouse(what input.DispatchMouseEventType, left, top float64, n int64) {
	w.t.Helper()
	p := input.DispatchMouseEventParams{Type: what, X: left, Y: top, ClickCount: n}
	if n > 0 {
		p.Button, p.Buttons = input.MouseButtonLeft, 1
	}
	call(w, input.DispatchMouseEvent, p)
}

// hover moves the mouse over a point of an element.
func (w *window) hover(element string, x, y float64) {
	w.t.Helper()
	left, top := w.place(element, x, y)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, left, top, 0)
}

// click clicks at a point of an element, so many times.
func (w *window) click(element string, x, y float64, times int) {
	w.t.Helper()
	left, top := w.place(element, x, y)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, left, top, 0)
	for n := range times {
		w.mouse(input.DispatchMouseEventTypeMousePressed, left, top, int64(n+1))
		w.mouse(input.DispatchMouseEventTypeMouseReleased, left, top, int64(n+1))
	}
}

// write clicks into a field and writes a text in the place of what it has.
func (w *window) write(element, text string) {
	w.t.Helper()
	w.click(element, 0.5, 0.5, 3)
	w.press(text)
}

// choose clicks on a list and goes to one of its values by the arrow keys.
func (w *window) choose(list, text string) {
	w.t.Helper()
	w.click(list, 0.5, 0.5, 1)
	at := value[[2]int](w, fmt.Sprintf(`[%[1]s.selectedIndex, [...%[1]s.options].findIndex(o => o.value === %[2]q)]`, list, text))
	for range max(at[1]-at[0], 0) {
		w.press(kb.ArrowDown)
	}
	for range max(at[0]-at[1], 0) {
		w.press(kb.ArrowUp)
	}
	w.press(kb.Enter)
	if got := value[string](w, list+".value"); got != text {
		w.t.Errorf("the keys choose %q, want %q", got, text)
	}
}

// leads does what leads to another page, and waits for it.
func (w *window) leads(do func()) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](`window.left = true`))
	do()
	for range 1200 {
		time.Sleep(50 * time.Millisecond)
		// While the window goes to the other page, there is nothing to ask.
		if there, err := chromedp.Run(w.ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && !window.left`)); err == nil && there {
			return
		}
	}
	w.t.Fatal("no other page came")
}

// fits fails the test where the page is wider than the window.
func (w *window) fits(where string) {
	w.t.Helper()
	if by := value[int](w, "document.documentElement.scrollWidth - window.innerWidth"); by > 0 {
		widest := value[string](w, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide, pre")).map(e => e.outerHTML.slice(0, 120)).slice(0, 3).join("\n")`)
		w.t.Errorf("%s is %d pixels wider than the window:\n%s", where, by, widest)
	}
}

//go:embed testdata/geometry.js
var geometry string

// widths are those that pages are looked at in.
var widths = []int64{400, 800, 1400, 2500}

// resize gives the window another width.
func (w *window) resize(width int64) {
	w.t.Helper()
	call(w, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
}

// looked looks at a page at all widths, with axe-core at the two that differ most.
func (w *window) looked(where, scheme string) {
	w.t.Helper()
	for _, width := range widths {
		w.resize(width)
		name := fmt.Sprintf("%s-%d%s", scheme, width, where)
		w.fits(name)
		w.tidy(name)
		if width == 1400 && scheme == "light" || width == 400 && scheme == "dark" {
			w.accessible(name)
		}
		w.calm(name)
		w.keep(name)
	}
}

// tidy fails the test where the geometry of the page is at fault.
func (w *window) tidy(where string) {
	w.t.Helper()
	for _, fault := range value[[]string](w, "(() => {"+geometry+"; return geometryFaults(); })()") {
		w.t.Errorf("%s: %s", where, fault)
	}
}

// accessible fails the test where axe-core finds a fault.
func (w *window) accessible(where string) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](axe))
	faults := value[[]string](w, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + (n.any[0]?.message ?? ""))))`)
	for _, fault := range faults {
		w.t.Errorf("%s: axe: %s", where, fault)
	}
}

// keep keeps a picture of the whole page if pictures are asked for.
func (w *window) keep(name string) {
	w.t.Helper()
	dir := os.Getenv("EHGNN_SCREENSHOTS")
	if dir == "" {
		return
	}
	beyond := true
	size := value[[2]float64](w, "[innerWidth, document.documentElement.scrollHeight]")
	picture := call(w, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond,
		Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: 1}}).Data
	name = strings.NewReplacer("/", "_", "?", "-", "&", "-", "=", "-").Replace(strings.Trim(name, "/"))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		w.t.Fatal(err)
	}
}
