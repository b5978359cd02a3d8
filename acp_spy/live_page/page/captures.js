acpSpy.captures = (() => { return { start() {} }; })();
