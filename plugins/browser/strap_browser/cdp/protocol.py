"""Types of the DevTools protocol that strap reads: events, answers and their parts.

Written by generate_protocol.py from the Chrome DevTools Protocol; do not edit.
"""

from typing import Any, NotRequired, TypedDict


class BrowserDownloadProgress(TypedDict):
    guid: str
    state: str


class BrowserDownloadWillBegin(TypedDict):
    frameId: str
    guid: str
    url: str
    suggestedFilename: str


class FetchAuthChallenge(TypedDict):
    source: NotRequired[str]
    origin: str
    realm: str


class LogEntryAdded(TypedDict):
    entry: "LogLogEntry"


class LogLogEntry(TypedDict):
    source: str
    level: str
    text: str
    timestamp: float
    url: NotRequired[str]
    lineNumber: NotRequired[int]
    stackTrace: NotRequired["RuntimeStackTrace"]
    args: NotRequired[list["RuntimeRemoteObject"]]


class NetworkRequest(TypedDict):
    url: str
    urlFragment: NotRequired[str]
    method: str
    headers: dict[str, Any]
    postData: NotRequired[str]
    hasPostData: NotRequired[bool]


class NetworkRequestWillBeSent(TypedDict):
    requestId: str
    loaderId: str
    request: "NetworkRequest"
    timestamp: float
    wallTime: float
    redirectHasExtraInfo: bool
    redirectResponse: NotRequired["NetworkResponse"]
    type: NotRequired[str]
    frameId: NotRequired[str]


class NetworkResponse(TypedDict):
    url: str
    status: int
    statusText: str
    headers: dict[str, Any]
    mimeType: str
    protocol: NotRequired[str]


class PageFileChooserOpened(TypedDict):
    frameId: str
    mode: str
    backendNodeId: NotRequired[int]


class PageFrame(TypedDict):
    id: str
    parentId: NotRequired[str]
    loaderId: str
    name: NotRequired[str]
    url: str
    urlFragment: NotRequired[str]
    securityOrigin: str
    mimeType: str
    unreachableUrl: NotRequired[str]


class PageFrameAttached(TypedDict):
    frameId: str
    parentFrameId: str


class PageFrameDetached(TypedDict):
    frameId: str
    reason: str


class PageFrameNavigated(TypedDict):
    frame: "PageFrame"
    type: str


class PageFrameTree(TypedDict):
    frame: "PageFrame"
    childFrames: NotRequired[list["PageFrameTree"]]


class PageJavascriptDialogOpening(TypedDict):
    url: str
    frameId: str
    message: str
    type: str
    defaultPrompt: NotRequired[str]


class PageNavigateAnswer(TypedDict):
    frameId: str
    loaderId: NotRequired[str]
    errorText: NotRequired[str]
    isDownload: NotRequired[bool]


class PageNavigatedWithinDocument(TypedDict):
    frameId: str
    url: str
    navigationType: str


class RuntimeCallFrame(TypedDict):
    url: str
    lineNumber: int
    columnNumber: int


class RuntimeConsoleAPICalled(TypedDict):
    type: str
    args: list["RuntimeRemoteObject"]
    executionContextId: int
    timestamp: float
    stackTrace: NotRequired["RuntimeStackTrace"]
    context: NotRequired[str]


class RuntimeEntryPreview(TypedDict):
    key: NotRequired["RuntimeObjectPreview"]
    value: "RuntimeObjectPreview"


class RuntimeExceptionDetails(TypedDict):
    text: str
    lineNumber: int
    columnNumber: int
    url: NotRequired[str]
    stackTrace: NotRequired["RuntimeStackTrace"]
    exception: NotRequired["RuntimeRemoteObject"]
    executionContextId: NotRequired[int]


class RuntimeExceptionThrown(TypedDict):
    timestamp: float
    exceptionDetails: "RuntimeExceptionDetails"


class RuntimeExecutionContextCreated(TypedDict):
    context: "RuntimeExecutionContextDescription"


class RuntimeExecutionContextDescription(TypedDict):
    id: int
    origin: str
    name: str
    uniqueId: str
    auxData: NotRequired[dict[str, Any]]


class RuntimeExecutionContextDestroyed(TypedDict):
    executionContextId: int


class RuntimeObjectPreview(TypedDict):
    type: str
    subtype: NotRequired[str]
    description: NotRequired[str]
    overflow: bool
    properties: list["RuntimePropertyPreview"]
    entries: NotRequired[list["RuntimeEntryPreview"]]


class RuntimePropertyPreview(TypedDict):
    name: str
    type: str
    value: NotRequired[str]
    subtype: NotRequired[str]


class RuntimeRemoteObject(TypedDict):
    type: str
    subtype: NotRequired[str]
    value: NotRequired[Any]
    unserializableValue: NotRequired[str]
    description: NotRequired[str]
    objectId: NotRequired[str]
    preview: NotRequired["RuntimeObjectPreview"]


class RuntimeStackTrace(TypedDict):
    description: NotRequired[str]
    callFrames: list["RuntimeCallFrame"]
    parent: NotRequired["RuntimeStackTrace"]
    parentId: NotRequired["RuntimeStackTraceId"]


class RuntimeStackTraceId(TypedDict):
    id: str


class TargetAttachedToTarget(TypedDict):
    sessionId: str
    targetInfo: "TargetTargetInfo"
    waitingForDebugger: bool


class TargetDetachedFromTarget(TypedDict):
    sessionId: str
    targetId: NotRequired[str]


class TargetTargetInfo(TypedDict):
    targetId: str
    type: str
    title: str
    url: str
    attached: bool
    parentId: NotRequired[str]
    openerId: NotRequired[str]
    canAccessOpener: bool
    parentFrameId: NotRequired[str]
    browserContextId: NotRequired[str]
    subtype: NotRequired[str]


class TargetTargetInfoChanged(TypedDict):
    targetInfo: "TargetTargetInfo"
